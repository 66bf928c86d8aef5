import { isFields } from "../resources/kinds/edit.ts";

type Document = Readonly<Record<string, unknown>>;

/** An OpenAPI v3 document as v2: definitions instead of components, bodies as parameters, plain references. */
export function toSwagger({ info, paths, components }: Document): Document {
  const schemas = isFields(components) && isFields(components.schemas) ? components.schemas : {};
  return {
    swagger: "2.0",
    info,
    paths: Object.fromEntries(
      Object.entries(isFields(paths) ? paths : {}).map(([path, item]) => [path, pathItem(item)]),
    ),
    definitions: convertEach(schemas),
  };
}

function pathItem(item: unknown): unknown {
  if (!isFields(item)) return item;
  return Object.fromEntries(
    Object.entries(item).map(([method, value]) => [
      method,
      method === "parameters" ? parametersOf(value) : operation(value),
    ]),
  );
}

function parametersOf(list: unknown): readonly unknown[] {
  return (Array.isArray(list) ? list : [])
    .filter(isFields)
    .map(({ schema, ...parameter }) => ({ ...parameter, ...(isFields(schema) ? schema : {}) }));
}

function operation(value: unknown): unknown {
  if (!isFields(value)) return value;
  const { requestBody, responses, parameters, ...rest } = value;
  const consumes =
    isFields(requestBody) && isFields(requestBody.content) ? Object.keys(requestBody.content) : undefined;
  const body =
    consumes === undefined ? [] : [{ name: "body", in: "body", required: true, schema: bodySchema(requestBody) }];
  return {
    ...rest,
    ...(consumes === undefined ? {} : { consumes }),
    parameters: [...body, ...parametersOf(parameters)],
    responses: Object.fromEntries(
      Object.entries(isFields(responses) ? responses : {}).map(([code, response]) => [
        code,
        { description: "OK", schema: bodySchema(response) },
      ]),
    ),
  };
}

function bodySchema(holder: unknown): unknown {
  const content = isFields(holder) && isFields(holder.content) ? Object.values(holder.content)[0] : undefined;
  return convertSchema(isFields(content) ? content.schema : undefined) ?? {};
}

/** `allOf` of one reference is how v3 puts something beside it; v2 has it plain. */
function convertSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(convertSchema);
  if (!isFields(schema)) return schema;
  const { allOf, nullable: _, oneOf, anyOf: _1, not: _2, ...rest } = schema;
  const [only] = Array.isArray(allOf) && allOf.length === 1 ? (allOf as readonly unknown[]) : [];
  const merged = { ...rest, ...(isFields(only) ? only : {}), ...(oneOf === undefined ? {} : { type: "string" }) };
  return Object.fromEntries(Object.entries(merged).map(([name, value]) => [name, convertEntry(name, value)]));
}

function convertEntry(name: string, value: unknown): unknown {
  if (name === "$ref" && typeof value === "string") return value.replace("#/components/schemas/", "#/definitions/");
  if (name === "properties" && isFields(value)) return convertEach(value);
  return name === "default" || name === "enum" ? value : convertSchema(value);
}

/** Names of properties are no words of the schema language, though some are spelled like them. */
function convertEach(schemas: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convertSchema(schema)]));
}
