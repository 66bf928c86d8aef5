/** Reads every `defineErrors(AREA, {…})` of the sources: codes with retry class and the sentence above them. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

export interface ErrorCode {
  readonly code: string;
  readonly retry: string;
  /** The doc comment of the definition; empty when its name says it all. */
  readonly meaning: string;
}

const rooms = "{apis,apiserver,cli,cmd,controllers,dashboard,local,modules,packages}/**/*.ts";

/** All codes, sorted. */
export function errorCodes(root: string): readonly ErrorCode[] {
  const files = globSync(rooms, { cwd: root, exclude: (path) => /node_modules|dist|\.test\.ts$/.test(path) });
  return files.flatMap((file) => codesIn(join(root, file))).sort((a, b) => (a.code < b.code ? -1 : 1));
}

function codesIn(path: string): readonly ErrorCode[] {
  const text = readFileSync(path, "utf8");
  if (!text.includes("defineErrors(")) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: ErrorCode[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === "defineErrors") found.push(...codesOf(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function codesOf({ arguments: [area, definitions] }: ts.CallExpression): readonly ErrorCode[] {
  if (area === undefined || definitions === undefined) return [];
  if (!ts.isStringLiteral(area) || !ts.isObjectLiteralExpression(definitions)) return [];
  return definitions.properties.filter(ts.isPropertyAssignment).map((property) => ({
    code: `${area.text}_${property.name.getText()}`,
    retry: /retry:\s*"([a-z-]+)"/.exec(property.initializer.getText())?.[1] ?? "",
    meaning: meaningOf(property),
  }));
}

function meaningOf(property: ts.PropertyAssignment): string {
  const comments = ts.getJSDocCommentsAndTags(property).filter(ts.isJSDoc);
  const text = comments.map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "").join(" ");
  return text.replace(/\s+/g, " ").trim();
}
