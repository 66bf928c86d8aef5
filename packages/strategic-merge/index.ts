export { coreMergeFacts, type FieldFacts, type MergeFacts } from "./facts.ts";
export { strategicMerge } from "./patch.ts";
