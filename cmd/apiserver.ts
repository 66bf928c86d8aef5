#!/usr/bin/env node
import module from "node:module";
import { requireNode } from "./require-node.ts";

// The rest is loaded only when this Node can parse it. Its compiled form is kept, which shortens the next start.
if (requireNode()) {
  module.enableCompileCache();
  await import("./apiserver-main.ts");
}
