import type { TestCase } from "#test/run/TestCase.ts";

const CASE = /<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g;

/**
 * Reads the report of `bun test --reporter=junit` (1.4.5): attributes are escaped, nothing is
 * CDATA.
 */
export function parseJunit(xml: string): TestCase[] {
	return [...xml.matchAll(CASE)].map(([, attributes = "", body = ""]) => {
		const failure = /<(?:failure|error)\b([^>]*?)(?:\/>|>([\s\S]*?)<\/(?:failure|error)>)/.exec(
			body,
		);
		const skipped = /<skipped\b([^>]*)/.exec(body);
		const failureText = failure?.[2]?.trim() || attributeOf(failure?.[1] ?? "", "message");
		return {
			name: unescaped(attributeOf(attributes, "name")),
			classname: unescaped(attributeOf(attributes, "classname")),
			file: unescaped(attributeOf(attributes, "file")),
			timeSeconds: Number(attributeOf(attributes, "time")) || 0,
			outcome: failure ? "failed" : skipped ? "skipped" : "passed",
			detail: unescaped(failure ? failureText : attributeOf(skipped?.[1] ?? "", "message")),
		};
	});
}

function attributeOf(attributes: string, name: string): string {
	return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function unescaped(text: string): string {
	return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
		if (name) return ENTITIES[name] ?? whole;
		const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
		return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
	});
}
