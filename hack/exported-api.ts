/** Reads what a package exports, with its comments, from the sources alone: no types are computed. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

export interface ExportedItem {
  readonly name: string;
  readonly kind: "Functions" | "Classes" | "Values" | "Types";
  /** Markdown; empty when the name says it all. */
  readonly doc: string;
  /** TypeScript without bodies. */
  readonly signature: string;
}

const root = join(import.meta.dirname, "..");
const sources = new Map<string, ts.SourceFile>();

/** Everything that an `index.ts` re-exports, by name. */
export function exportedApi(index: string): readonly ExportedItem[] {
  const items = reExports(sourceOf(index)).map((entry) => itemOf(entry, declarationsOf(entry.original, entry.file)));
  return items.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function sourceOf(path: string): ts.SourceFile {
  const known = sources.get(path);
  if (known !== undefined) return known;
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  sources.set(path, source);
  return source;
}

interface ReExport {
  readonly name: string;
  /** Its name where it is declared. */
  readonly original: string;
  readonly file: string;
  /** A class of which only the type is given away. */
  readonly typeOnly: boolean;
}

function reExports(source: ts.SourceFile): readonly ReExport[] {
  return source.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) return [];
    const { exportClause, moduleSpecifier } = statement;
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) throw unreadable(statement);
    const file = pathOf((moduleSpecifier as ts.StringLiteral).text, source.fileName);
    return exportClause.elements.map(({ name, propertyName, isTypeOnly }) => ({
      name: name.text,
      original: (propertyName ?? name).text,
      file,
      typeOnly: isTypeOnly || statement.isTypeOnly,
    }));
  });
}

function pathOf(specifier: string, from: string): string {
  if (specifier.startsWith(".")) return join(dirname(from), specifier);
  return join(root, "packages", specifier.replace("@kyma-operators/", ""), "index.ts");
}

type Declaration =
  | ts.FunctionDeclaration
  | ts.ClassDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.VariableDeclaration;

/** The declarations of a name: one, or the overloads of a function. */
function declarationsOf(name: string, file: string): readonly Declaration[] {
  const source = sourceOf(file);
  const found = source.statements.flatMap((statement) => namedIn(statement, name));
  if (found.length > 0) return found;
  const elsewhere = reExports(source).find((candidate) => candidate.name === name);
  if (elsewhere === undefined) throw new Error(`${file} declares no ${name}`);
  return declarationsOf(elsewhere.original, elsewhere.file);
}

function namedIn(statement: ts.Statement, name: string): readonly Declaration[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.filter((declaration) => declaration.name.getText() === name);
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name?.text === name ? [statement] : [];
}

function itemOf({ name, original, typeOnly }: ReExport, declarations: readonly Declaration[]): ExportedItem {
  const [first] = declarations;
  if (first === undefined) throw new Error(`${name} is not declared`);
  // Of overloads the last one is the body, which callers do not see.
  const shown = declarations.length > 1 ? declarations.slice(0, -1) : declarations;
  const { kind, signature } = kindAndText(first, shown);
  return { name, kind: typeOnly ? "Types" : kind, signature: signature.replace(original, name), doc: docOf(first) };
}

function kindAndText(first: Declaration, all: readonly Declaration[]): Pick<ExportedItem, "kind" | "signature"> {
  if (ts.isClassDeclaration(first)) return { kind: "Classes", signature: classText(first) };
  if (ts.isVariableDeclaration(first)) return valueText(first);
  const texts = all.map((declaration) =>
    ts.isFunctionDeclaration(declaration) ? headOf(declaration) : textOf(declaration),
  );
  return { kind: ts.isFunctionDeclaration(first) ? "Functions" : "Types", signature: texts.join("\n") };
}

const modifiers = /^(export |declare |async )+/;

function textOf(node: ts.Node): string {
  return node.getText().replace(modifiers, "");
}

/** A function or method up to its body. */
function headOf(node: ts.FunctionDeclaration | ts.ClassElement): string {
  const body = "body" in node ? (node.body as ts.Node | undefined) : undefined;
  if (ts.isFunctionDeclaration(node) && node.type === undefined) throw unreadable(node);
  const source = node.getSourceFile().text;
  return source
    .slice(node.getStart(), body?.getStart() ?? node.end)
    .trim()
    .replace(modifiers, "");
}

function classText(node: ts.ClassDeclaration): string {
  const source = node.getSourceFile().text;
  const head = source.slice(node.getStart(), node.members.pos).trimEnd().replace(modifiers, "");
  const members = node.members.filter(isPublic).map((member) => `  ${memberText(member)}`);
  return [head, ...members, "}"].join("\n");
}

function isPublic(member: ts.ClassElement): boolean {
  const isHidden = member.name !== undefined && ts.isPrivateIdentifier(member.name);
  const flags = ts.getCombinedModifierFlags(member);
  return !isHidden && (flags & ts.ModifierFlags.Private) === 0;
}

function memberText(member: ts.ClassElement): string {
  const comments = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
  const text = ts.isPropertyDeclaration(member) ? propertyText(member) : `${headOf(member)};`;
  return [...comments.map((comment) => comment.getText()), text].join("\n  ");
}

function propertyText(member: ts.PropertyDeclaration): string {
  const { initializer, type } = member;
  if (initializer === undefined) return member.getText();
  const head = member.getSourceFile().text.slice(member.getStart(), initializer.getStart());
  return type === undefined ? member.getText() : `${head.replace(/\s*=\s*$/, "")};`;
}

/** Values longer than this are named by their type or left out: a page is no listing. */
const mostLines = 16;

function valueText(node: ts.VariableDeclaration): Pick<ExportedItem, "kind" | "signature"> {
  const name = node.name.getText();
  const { initializer, type } = node;
  if (type !== undefined) return { kind: "Values", signature: `const ${name}: ${type.getText()}` };
  if (initializer === undefined) throw unreadable(node);
  if (ts.isArrowFunction(initializer)) {
    const head = initializer.getText().slice(0, initializer.equalsGreaterThanToken.getStart() - initializer.getStart());
    return { kind: "Functions", signature: `function ${name}${head.replace(modifiers, "").trim()}` };
  }
  const text = initializer.getText();
  const isLong = text.split("\n").length > mostLines;
  return { kind: "Values", signature: `const ${name} = ${isLong ? shortened(initializer) : text}` };
}

/** `defineErrors("KUBE", …)`: the codes stand in a page of their own. */
function shortened(initializer: ts.Expression): string {
  if (!ts.isCallExpression(initializer)) return "…";
  const [first] = initializer.arguments;
  const shown = first !== undefined && ts.isStringLiteral(first) ? `${first.getText()}, …` : "…";
  return `${initializer.expression.getText()}(${shown})`;
}

function docOf(node: Declaration): string {
  return ts
    .getJSDocCommentsAndTags(node)
    .filter(ts.isJSDoc)
    .flatMap(({ comment, tags = [] }) => [textIn(comment), listOf(tags)])
    .filter((part) => part !== "")
    .join("\n\n");
}

function listOf(tags: readonly ts.JSDocTag[]): string {
  const lines = tags.map((tag) => {
    const subject = ts.isJSDocParameterTag(tag) ? `\`${tag.name.getText()}\`` : tag.tagName.text;
    return `- ${subject}: ${textIn(tag.comment).replace(/^- /, "").replace(/\s+/g, " ")}`;
  });
  return lines.join("\n");
}

function textIn(comment: ts.JSDoc["comment"]): string {
  return (ts.getTextOfJSDocComment(comment) ?? "").replace(
    /\{@link ([^}]+)\}/g,
    (_, name: string) => `\`${name.trim()}\``,
  );
}

function unreadable(node: ts.Node): Error {
  const source = node.getSourceFile();
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  const problem = "an exported function without return type, or an export that the API reference can't show";
  return new Error(`${source.fileName}:${line + 1}: ${problem}`);
}
