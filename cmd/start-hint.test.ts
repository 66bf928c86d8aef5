import { equal, match } from "node:assert/strict";
import { test } from "@jest/globals";
import { startHint } from "./start-hint.ts";

const fault = (fields: object): Error => Object.assign(new Error("it failed"), fields);

test("a port that may not be had gives advice about ports, a file that may not be written about files", () => {
  const port = startHint(fault({ code: "EACCES", syscall: "listen", address: "127.0.0.1", port: 443 }));
  equal(port, "you may not listen on port 443: take one from 1024 on with --port (0 finds a free one)");
  const file = startHint(fault({ code: "EACCES", syscall: "open", path: "/audit.log" }));
  equal(file, "/audit.log: you may not write here: choose another folder or file");
  match(startHint(fault({ code: "EADDRINUSE", port: 6443 })), /^port 6443 is in use: stop what listens there/);
  equal(startHint(fault({})), "it failed");
});
