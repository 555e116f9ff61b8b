// Reads a source file into its imports, exports and comments.

import { join, posix } from "node:path";
import { SyntaxKind } from "typescript/unstable/ast";
import { createScanner } from "typescript/unstable/ast/scanner";
import type { SourceFile, SourceImport } from "#test/tidy/Rule.ts";

type Token = { kind: SyntaxKind; start: number; text: string };

type Reading = { path: string; tokens: Token[]; lineOf: (position: number) => number };

const COMMENTS = new Set([SyntaxKind.SingleLineCommentTrivia, SyntaxKind.MultiLineCommentTrivia]);
const TRIVIA = new Set([...COMMENTS, SyntaxKind.WhitespaceTrivia, SyntaxKind.NewLineTrivia]);
const LITERALS = new Set([
	SyntaxKind.StringLiteral,
	SyntaxKind.NoSubstitutionTemplateLiteral,
	SyntaxKind.TemplateHead,
	SyntaxKind.TemplateMiddle,
	SyntaxKind.TemplateTail,
	SyntaxKind.RegularExpressionLiteral,
]);
/** After one of these a slash divides; after anything else it begins a pattern. */
const ENDS_EXPRESSION = new Set([
	...LITERALS,
	SyntaxKind.Identifier,
	SyntaxKind.NumericLiteral,
	SyntaxKind.BigIntLiteral,
	SyntaxKind.CloseParenToken,
	SyntaxKind.CloseBracketToken,
	SyntaxKind.CloseBraceToken,
	SyntaxKind.ThisKeyword,
	SyntaxKind.SuperKeyword,
	SyntaxKind.TrueKeyword,
	SyntaxKind.FalseKeyword,
	SyntaxKind.NullKeyword,
]);

const FILES = new Bun.Glob("{core,plugins,agent,api,test}/**/*.{ts,tsx}");

/** Generated code is outside the house's rules, and lives in these folders only. */
const GENERATED = /\/(abi|migrations|generated|node_modules)\//;

/** Files of other programs that the bench runs, by their rules: test/bench/peers/README.md. */
const OTHERS = /^test\/bench\/peers\/projects\//;

/** Takes a file apart with TypeScript's own scanner, so that no rule mistakes a text for code. */
export function readSourceFile(path: string, text: string): SourceFile {
	const tokens = tokensOf(text);
	const lineOf = lineCounter(text);
	const code = blanked(text, tokens);
	return {
		path,
		text,
		code,
		comments: tokens.filter(isComment).map(({ start, text }) => ({ line: lineOf(start), text })),
		imports: importsOf({ path, tokens, lineOf }),
		exports: exportsOf(code),
	};
}

/** Every file of the project that a person wrote. */
export async function projectFiles(): Promise<SourceFile[]> {
	const root = join(import.meta.dir, "../..");
	const paths = [...FILES.scanSync({ cwd: root })]
		.filter((path) => !GENERATED.test(path) && !OTHERS.test(path))
		.sort();
	return Promise.all(
		paths.map(async (path) => readSourceFile(path, await Bun.file(join(root, path)).text())),
	);
}

function tokensOf(text: string): Token[] {
	const scanner = createScanner(false);
	scanner.setText(text);
	const tokens: Token[] = [];
	// How many braces are open inside each `${` that is open.
	const templates: number[] = [];
	let before: SyntaxKind | undefined;
	let end = 0;
	for (;;) {
		let kind = scanner.scan();
		if (kind === SyntaxKind.EndOfFile) return tokens;
		const depth = templates.at(-1);
		if (kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) {
			if (before === undefined || !ENDS_EXPRESSION.has(before)) kind = scanner.reScanSlashToken();
		} else if (kind === SyntaxKind.TemplateHead) {
			templates.push(0);
		} else if (kind === SyntaxKind.OpenBraceToken && depth !== undefined) {
			templates[templates.length - 1] = depth + 1;
		} else if (kind === SyntaxKind.CloseBraceToken && depth === 0) {
			kind = scanner.reScanTemplateToken(false);
			if (kind === SyntaxKind.TemplateTail) templates.pop();
		} else if (kind === SyntaxKind.CloseBraceToken && depth !== undefined) {
			templates[templates.length - 1] = depth - 1;
		}
		// In the text of JSX a slash or brace may begin nothing: rescanned, it would come for ever.
		if (scanner.getTokenEnd() <= end) scanner.resetTokenState(end + 1);
		end = Math.max(end + 1, scanner.getTokenEnd());
		const token = { kind, start: scanner.getTokenStart(), text: scanner.getTokenText() };
		tokens.push(token);
		if (!TRIVIA.has(kind)) before = kind;
	}
}

function lineCounter(text: string): (position: number) => number {
	return (position) => text.slice(0, position).split("\n").length;
}

function blanked(text: string, tokens: Token[]): string {
	let code = "";
	for (const token of tokens) {
		const blank = token.text.replace(/[^\n\t]/g, " ");
		if (isComment(token)) code += blank;
		else if (LITERALS.has(token.kind))
			code += `${token.text[0]}${blank.slice(2)}${token.text.at(-1)}`;
		else code += token.text;
	}
	return code.padEnd(text.length).slice(0, text.length);
}

function isComment({ kind }: Token): boolean {
	return COMMENTS.has(kind);
}

function importsOf({ path, tokens, lineOf }: Reading): SourceImport[] {
	const significant = tokens.filter(({ kind }) => !TRIVIA.has(kind));
	const imports: SourceImport[] = [];
	let typeOnly = false;
	for (const [index, token] of significant.entries()) {
		const next = significant[index + 1];
		if (token.kind === SyntaxKind.ImportKeyword || token.kind === SyntaxKind.ExportKeyword) {
			typeOnly = next?.kind === SyntaxKind.TypeKeyword;
		}
		const before = significant[index - 1];
		const called = before?.kind === SyntaxKind.OpenParenToken && significant[index - 2];
		const names = called ? called : before;
		if (token.kind !== SyntaxKind.StringLiteral || !names) continue;
		const isImport = names.kind === SyntaxKind.ImportKeyword;
		if (!isImport && (called || names.kind !== SyntaxKind.FromKeyword)) continue;
		const specifier = token.text.slice(1, -1);
		imports.push({
			specifier,
			target: targetOf(path, specifier),
			typeOnly: typeOnly && !isImport,
			line: lineOf(token.start),
		});
	}
	return imports;
}

function targetOf(path: string, specifier: string): string | undefined {
	if (specifier.startsWith("#")) return posix.normalize(specifier.slice(1));
	return specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined;
}

function exportsOf(code: string): SourceFile["exports"] {
	const values = code.matchAll(
		/^export\s+(?:declare\s+)?(?:async\s+|abstract\s+)?(?:function\*?|class|const|let|enum)\s+(\w+)/gm,
	);
	const types = code.matchAll(/^export\s+(?:type|interface)\s+(\w+)/gm);
	const lists = code.matchAll(/^export\s*\{([^}]*)\}/gm);
	const listed = [...lists].flatMap(([, names = ""]) => names.split(","));
	return [
		...[...values].map(([, name = ""]) => ({ name, kind: "value" as const })),
		...[...types].map(([, name = ""]) => ({ name, kind: "type" as const })),
		...listed
			.map(
				(item) =>
					item
						.trim()
						.split(/\s+as\s+/)
						.at(-1) ?? "",
			)
			.filter((name) => name !== "")
			.map((name) => ({ name: name.replace(/^type\s+/, ""), kind: "value" as const })),
	];
}
