import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Journal } from "./store.ts";
import type { StoreKey } from "./store-key.ts";

const schema = `
create table if not exists objects (
  collection text not null, namespace text not null, name text not null,
  revision integer not null, json text not null,
  primary key (collection, namespace, name)
) without rowid, strict;
create table if not exists meta (key text primary key, value integer not null) without rowid, strict;
insert or ignore into meta values ('revision', 1);
`;

/**
 * Keeps objects in `<dataDir>/objects.db`. Each write is one transaction in a write-ahead log: it survives the death of
 * the process; with `fsync` also a power failure. The directory has to exist. Throws when it can't be written or is in use.
 */
export function openJournal(dataDir: string, { fsync }: { readonly fsync: boolean }): Journal {
  const database = new DatabaseSync(join(dataDir, "objects.db"));
  database.exec("pragma locking_mode = exclusive");
  database.exec("pragma journal_mode = wal");
  // Without fsync what is written is the operating system's to keep: the death of the process loses nothing.
  database.exec(`pragma synchronous = ${fsync ? "full" : "off"}`);
  database.exec(schema);
  const put = database.prepare(
    "insert into objects values (?, ?, ?, ?, ?) on conflict do update set revision = excluded.revision, json = excluded.json",
  );
  const remove = database.prepare("delete from objects where collection = ? and namespace = ? and name = ?");
  const move = database.prepare("update meta set value = ? where key = 'revision'");
  const begin = database.prepare("begin");
  const commit = database.prepare("commit");
  return {
    load: () => loadObjects(database),
    revision: () => Number(database.prepare("select value from meta where key = 'revision'").get()?.value ?? 1),
    write: ({ collection, namespace, name }, revision, json) => {
      begin.run();
      try {
        if (json === undefined) remove.run(collection, namespace, name);
        else put.run(collection, namespace, name, revision, json);
        move.run(revision);
        commit.run();
      } catch (error) {
        database.exec("rollback");
        throw error;
      }
    },
    close: () => database.close(),
  };
}

function* loadObjects(
  database: DatabaseSync,
): Generator<StoreKey & { readonly revision: number; readonly json: string }> {
  const rows = database.prepare("select collection, namespace, name, revision, json from objects").iterate();
  for (const row of rows) {
    yield {
      collection: String(row.collection),
      namespace: String(row.namespace),
      name: String(row.name),
      revision: Number(row.revision),
      json: String(row.json),
    };
  }
}
