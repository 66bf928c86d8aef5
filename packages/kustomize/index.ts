export { build } from "./build.ts";
export { kustomizeErrors } from "./errors.ts";
export { type FileTree, type TreeEntry, treeOf } from "./tree.ts";
