import { deepEqual, equal } from "node:assert/strict";
import { test } from "@jest/globals";
import { argumentOf, entrypointOf, environmentOf, parseDockerfile } from "./dockerfile.ts";

const text = `ARG NODE=24
FROM node:\${NODE} AS build
ENV ONLY_HERE=yes
FROM base
USER 1:1
# Variables on two lines, and in two instructions.
ENV FIRST=1 \\
    SECOND=a=b
ENV THIRD=
ENTRYPOINT ["node", "--flag", "program.js"]
`;

test("a stage says how it is run, and nothing of the stages before", () => {
  const [build, final] = parseDockerfile(text);
  equal(argumentOf(final, "USER"), "1:1");
  equal(argumentOf(build, "USER"), "");
  deepEqual(entrypointOf(final), ["node", "--flag", "program.js"]);
  deepEqual(environmentOf(final), { FIRST: "1", SECOND: "a=b", THIRD: "" });
  deepEqual(environmentOf(undefined), {});
});
