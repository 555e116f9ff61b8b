import { expect, test } from "bun:test";
import {
	collectionText,
	countText,
	ethText,
	figureText,
	LINE_LENGTH_MAX,
	lineOf,
	nameText,
	oldestMs,
	percentText,
	shortText,
	timeText,
	tokenText,
	usdText,
} from "#plugins/market-index/agent/lineText.ts";

const figure = {
	value: 1.5,
	valueRaw: null,
	unit: "ETH",
	source: "chain",
	window: "24h",
	asOf: null,
	coverage: null,
	reason: null,
} as const;
const part = (fraction: number | null) => ({ from: null, until: null, fraction });

test('amounts have four significant digits, or all whole ones, and an unknown one is "not known"', () => {
	const amounts: [number | null, string][] = [
		[null, "not known"],
		[0, "0 ETH"],
		[0.42, "0.42 ETH"],
		[0.000_000_000_000_000_001, "0.000000000000000001 ETH"],
		[1.234_56, "1.235 ETH"],
		[123.456, "123.5 ETH"],
		[12_345.678, "12,346 ETH"],
		[2.5e9, "2.5B ETH"],
		[1.5e40, "1.5e+40 ETH"],
	];
	for (const [value, text] of amounts) expect(ethText(value)).toBe(text);
	expect(countText(3_120)).toBe("3,120");
	expect(countText(null)).toBe("not known");
});

test("dollars are in brackets, and left out if no rate is known", () => {
	const amounts: [number | null, string][] = [
		[null, ""],
		[0, " ($0.00)"],
		[0.001, " (<$0.01)"],
		[12.5, " ($12.50)"],
		[1_203.4, " ($1,203)"],
	];
	for (const [value, text] of amounts) expect(usdText(value)).toBe(text);
});

test("a change has its sign, unless it rounds to zero", () => {
	const changes: [number | null, string][] = [
		[null, "–"],
		[0, "0 %"],
		[-0.01, "0 %"],
		[-3.14, "−3.1 %"],
		[12, "+12 %"],
	];
	for (const [value, text] of changes) expect(percentText(value)).toBe(text);
});

test("a figure of a window that was read in part is marked `(in part)`", () => {
	expect(figureText(figure)).toBe("1.5 ETH");
	expect(figureText({ ...figure, coverage: part(1) })).toBe("1.5 ETH");
	expect(figureText({ ...figure, coverage: part(0.5) })).toBe("1.5 ETH (in part)");
	expect(figureText({ ...figure, coverage: part(null) })).toBe("1.5 ETH (in part)");
	expect(figureText({ ...figure, value: null })).toBe("not known");
	expect(figureText({ ...figure, unit: "percent", value: 2 })).toBe("+2 %");
	expect(figureText({ ...figure, unit: "count", value: 42 })).toBe("42");
});

test("a collection is shown by its name, else its slug, else its shortened address", () => {
	const slug = "kiln-folk";
	const contractAddress = `0x${"ab".repeat(20)}`;
	const chain = "ethereum";
	const named = { slug, contractAddress, chain, name: "Kiln Folk" };
	expect(collectionText(named)).toBe("Kiln Folk (ethereum)");
	expect(nameText({ slug, name: null })).toBe("kiln-folk");
	expect(nameText({ slug: contractAddress, name: null })).toBe("0xabab…abab");
	expect([...nameText({ slug, name: "😀".repeat(100) })]).toHaveLength(32);
	expect(shortText(`${"a".repeat(30)} ${"b".repeat(9)}`)).toBe(`${"a".repeat(30)}…`);
});

test("a line has as many parts as fit, and always its first part", () => {
	expect(lineOf("Kiln Folk", [])).toBe("Kiln Folk");
	expect(lineOf("Kiln Folk", ["floor 1", "24h –"])).toBe("Kiln Folk floor 1, 24h –");
	expect(lineOf("a", ["b".repeat(100), "c".repeat(60), "d"])).toBe(`a ${"b".repeat(100)}`);
	for (const head of ["漢".repeat(300), "a"]) {
		const line = lineOf(head, ["😀".repeat(300), "x"]);
		expect([...line]).toHaveLength(LINE_LENGTH_MAX);
		expect(line).toEndWith("…");
	}
});

test("times, token ids and the oldest time are read from an answer's members", () => {
	expect(timeText("2026-03-10T14:37:25.500Z")).toBe("2026-03-10 14:37 UTC");
	expect(tokenText("6529")).toBe("#6529");
	expect(tokenText("1".repeat(78))).toBe("#11111…11111");
	expect(oldestMs([null, undefined])).toBeNull();
	expect(oldestMs(["1970-01-01T00:00:02.000Z", null, "1970-01-01T00:00:01.000Z"])).toBe(1_000);
});
