import { ProtobufWriter } from "../http/protobuf-writer.ts";
import { isFields } from "../resources/kinds/edit.ts";

/** Media type of OpenAPI v2 in protobuf. Clients ask for it by an older name, which is none by the rules of media types. */
export const swaggerProtobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
export const askedSwaggerProtobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

type Encode = (writer: ProtobufWriter, field: number, value: unknown) => void;
type FieldTable = Readonly<Record<string, readonly [number: number, encode: Encode]>>;

/**
 * An OpenAPI v2 document in the protobuf messages of gnostic (`openapi.v2.Document`), whose field numbers are below.
 * What the tables don't name is left out; what begins with `x-` goes where extensions go.
 */
export function encodeSwagger(document: Readonly<Record<string, unknown>>): Uint8Array {
  const writer = new ProtobufWriter();
  writeFields(writer, document, documentFields);
  return writer.finish();
}

const text: Encode = (writer, field, value) => {
  if (typeof value === "string") writer.text(field, value);
};
const flag: Encode = (writer, field, value) => {
  if (value === true) writer.integer(field, 1);
};
const integer: Encode = (writer, field, value) => {
  if (Number.isSafeInteger(value)) writer.integer(field, value as number);
};
const double: Encode = (writer, field, value) => {
  if (typeof value === "number") writer.double(field, value);
};
/** Any value is a text of YAML, of which JSON is a part. */
const any: Encode = (writer, field, value) =>
  writer.message(field, (inner) => inner.text(2, `${JSON.stringify(value)}\n`));

const each =
  (encode: Encode): Encode =>
  (writer, field, value) => {
    for (const item of Array.isArray(value) ? (value as readonly unknown[]) : []) encode(writer, field, item);
  };

/** A message that only wraps another value, as gnostic has them for alternatives. */
const wrapped =
  (inner: number, encode: Encode): Encode =>
  (writer, field, value) =>
    writer.message(field, (message) => encode(message, inner, value));

/** A map: one message per entry, with its name and value. */
const named =
  (entries: number, encode: Encode): Encode =>
  (writer, field, value) =>
    writer.message(field, (map) => {
      for (const [name, item] of Object.entries(isFields(value) ? value : {})) {
        map.message(entries, (entry) => {
          entry.text(1, name);
          encode(entry, 2, item);
        });
      }
    });

/** A message by its table; `extensions` is the number of its `x-` entries. */
const message =
  (fields: () => FieldTable, extensions?: number): Encode =>
  (writer, field, value) => {
    if (isFields(value)) writer.message(field, (inner) => writeFields(inner, value, fields(), extensions));
  };

function writeFields(
  writer: ProtobufWriter,
  value: Readonly<Record<string, unknown>>,
  fields: FieldTable,
  extensions?: number,
): void {
  for (const [name, item] of Object.entries(value)) {
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known !== undefined) known[1](writer, known[0], item);
    else if (extensions !== undefined && name.startsWith("x-")) writeExtension(writer, extensions, name, item);
  }
}

function writeExtension(writer: ProtobufWriter, field: number, name: string, value: unknown): void {
  writer.message(field, (entry) => {
    entry.text(1, name);
    any(entry, 2, value);
  });
}

const schema: Encode = message(() => schemaFields, 31);
const type: Encode = wrapped(1, (writer, field, value) => {
  each(text)(writer, field, Array.isArray(value) ? value : [value]);
});
const items: Encode = wrapped(1, (writer, field, value) => {
  each(schema)(writer, field, Array.isArray(value) ? value : [value]);
});
const additional: Encode = (writer, field, value) =>
  writer.message(field, (inner) =>
    typeof value === "boolean" ? inner.integer(2, value ? 1 : 0) : schema(inner, 1, value),
  );

const schemaFields: FieldTable = {
  $ref: [1, text],
  format: [2, text],
  title: [3, text],
  description: [4, text],
  default: [5, any],
  multipleOf: [6, double],
  maximum: [7, double],
  exclusiveMaximum: [8, flag],
  minimum: [9, double],
  exclusiveMinimum: [10, flag],
  maxLength: [11, integer],
  minLength: [12, integer],
  pattern: [13, text],
  maxItems: [14, integer],
  minItems: [15, integer],
  uniqueItems: [16, flag],
  maxProperties: [17, integer],
  minProperties: [18, integer],
  required: [19, each(text)],
  enum: [20, each(any)],
  additionalProperties: [21, additional],
  type: [22, type],
  items: [23, items],
  allOf: [24, each(schema)],
  properties: [25, named(1, schema)],
  readOnly: [27, flag],
  example: [30, any],
};

const bodyParameter: Encode = message(
  () => ({ description: [1, text], name: [2, text], in: [3, text], required: [4, flag], schema: [5, schema] }),
  6,
);
const queryParameter: Encode = message(() => ({
  required: [1, flag],
  in: [2, text],
  description: [3, text],
  name: [4, text],
  type: [6, text],
  format: [7, text],
  uniqueItems: [20, flag],
}));
const pathParameter: Encode = message(() => ({
  required: [1, flag],
  in: [2, text],
  description: [3, text],
  name: [4, text],
  type: [5, text],
  format: [6, text],
  uniqueItems: [19, flag],
}));

/** A parameter is a body or not, and if not then one of the query or of the path. */
const parameter: Encode = wrapped(1, (writer, field, value) => {
  const place = isFields(value) ? value.in : undefined;
  if (place === "body") wrapped(1, bodyParameter)(writer, field, value);
  else if (place === "path") wrapped(2, wrapped(4, pathParameter))(writer, field, value);
  else wrapped(2, wrapped(3, queryParameter))(writer, field, value);
});

const response: Encode = wrapped(
  1,
  message(() => ({ description: [1, text], schema: [2, wrapped(1, schema)] })),
);
const operation: Encode = message(
  () => ({
    tags: [1, each(text)],
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    produces: [6, each(text)],
    consumes: [7, each(text)],
    parameters: [8, each(parameter)],
    responses: [9, named(1, response)],
    schemes: [10, each(text)],
    deprecated: [11, flag],
  }),
  13,
);
const pathItem: Encode = message(
  () => ({
    $ref: [1, text],
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    options: [6, operation],
    head: [7, operation],
    patch: [8, operation],
    parameters: [9, each(parameter)],
  }),
  10,
);

const documentFields: FieldTable = {
  swagger: [1, text],
  info: [2, message(() => ({ title: [1, text], version: [2, text], description: [3, text] }))],
  paths: [8, named(2, pathItem)],
  definitions: [9, named(1, schema)],
};
