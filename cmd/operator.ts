#!/usr/bin/env node
import { requireNode } from "./require-node.ts";

// The rest is loaded only when this Node can parse it.
if (requireNode()) await import("./operator-main.ts");
