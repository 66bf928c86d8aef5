import type { AnyObject } from "@kyma-operators/kube";

/** One column of a table. Columns of priority 1 show with `-o wide` only. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority: number;
}

/** The table of one kind. */
export interface TableLayout {
  readonly columns: readonly Column[];
  cells(object: AnyObject, now: number): readonly unknown[];
}
