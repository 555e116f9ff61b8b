import { expect, test } from "bun:test";
import {
	addressSchema,
	anyCaseAddressSchema,
	anyCaseWordSchema,
	wordSchema,
} from "#core/chain/hexSchemas.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;
const CAPITALS = `0x${"AB".repeat(20)}`;
const WORD = `0x${"cd".repeat(32)}`;
const WORD_CAPITALS = `0x${"CD".repeat(32)}`;

test("strict schemas accept lower case only", () => {
	expect<string>(addressSchema.parse(ADDRESS)).toBe(ADDRESS);
	expect<string>(wordSchema.parse(WORD)).toBe(WORD);
	expect(addressSchema.safeParse(CAPITALS).success).toBe(false);
	expect(wordSchema.safeParse(WORD_CAPITALS).success).toBe(false);
});

test("lenient schemas accept capitals and return lower case", () => {
	expect<string>(anyCaseAddressSchema.parse(CAPITALS)).toBe(ADDRESS);
	expect<string>(anyCaseWordSchema.parse(WORD_CAPITALS)).toBe(WORD);
});

test("no schema accepts another length, another prefix, a line break or no text", () => {
	const wrong = [
		...["", "0x", ADDRESS.slice(2), `0X${ADDRESS.slice(2)}`, `${ADDRESS}0`, `${ADDRESS}\n`],
		...[ADDRESS.slice(0, -1), `${WORD}0`, `${WORD}\n`, WORD.replace("c", "g"), ` ${ADDRESS}`],
		...[null, 1, undefined, {}, [ADDRESS]],
	];
	for (const schema of [addressSchema, wordSchema, anyCaseAddressSchema, anyCaseWordSchema]) {
		expect(wrong.filter((one) => schema.safeParse(one).success)).toEqual([]);
	}
});
