import * as fc from "fast-check";

// A test that passed yesterday passes today: properties run from one seed. `FC_SEED=N` tries another; the long searches
// of `make fuzz` and `make soak` have seeds of their own.
fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? 1) });
