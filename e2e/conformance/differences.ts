/**
 * Answers of the embedded server that differ from those of a kube-apiserver, by topic and case, and why. A difference
 * that is gone fails the suite, so that it leaves this list.
 */
export const differences: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  names: {
    "labels with key xxxxx… (256)":
      "the message of a long prefix lists the two problems of the prefix in another order",
  },
  watches: {
    "watch as a table": "columns of built-in kinds have no descriptions, and counts have the type integer",
  },
  errors: {
    "refuses a port of zero": "the target port is not named a second time when it only follows the port",
  },
  specs: {
    "container: cpu fine": "amounts of cpu below a thousandth are not rounded up",
    "Service: nodePort range": "the range of node ports counts in a dry run, too",
    "PersistentVolumeClaim: dataSource": "a source that no cluster knows stays in the claim",
  },
  kinds: {
    "fills in a StatefulSet without service": "an empty text from the schema's default counts as set by the manager",
    "fills in an Event": "an empty text from the schema's default counts as set by the manager",
  },
  definitions: {
    "definition: refuses no storage version": "the message names the versions instead of printing Go structs",
    "definition: refuses two storage versions": "the message names the versions instead of printing Go structs",
    "custom: ignores an unknown format": "unknown formats are ignored without a warning",
  },
  discovery: {
    "table of ResourceQuotas": "quotas are objects only, nothing is counted: the table shows name and age",
  },
};
