import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { encodeAbiParameters, type Hex, stringToHex } from "viem";
import {
	arrayAt,
	hexBytes,
	readAbiText,
	readAbiUint,
	readAddressWord,
	readSmallUint,
	readUint,
} from "#core/chain/abi.ts";

describe("arrayAt", () => {
	const word = (value: bigint) => value.toString(16).padStart(64, "0");
	const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

	/** Returns the numbers of the list that the first word points to. */
	function listIn(hex: string): bigint[] | null {
		const data = Buffer.from(hex, "hex");
		const list = arrayAt({ data, head: 0, itemBytes: 32 });
		if (list === null) return null;
		return Array.from({ length: list.count }, (_, at) => readUint(data, list.firstByte + at * 32));
	}

	test("a list is read as a whole or not at all, at any offset", () => {
		fc.assert(
			fc.property(fc.array(uint256, { maxLength: 9 }), fc.nat({ max: 70 }), (values, gap) => {
				const list = word(BigInt(values.length)) + values.map(word).join("");
				const hex = `${word(BigInt(32 + gap))}${"ff".repeat(gap)}${list}`;
				expect(listIn(hex)).toEqual(values);
				expect(listIn(hex.slice(0, -2))).toBeNull();
			}),
		);
	});

	test("a false offset or length is refused before anything is read", () => {
		for (const lie of [2n ** 256n - 1n, 2n ** 255n, 2n ** 53n, 2n ** 48n, 2n ** 48n - 1n, 2n]) {
			expect(listIn(`${word(32n)}${word(lie)}${word(7n)}`)).toBeNull();
			if (lie > 2n) expect(listIn(`${word(lie)}${word(0n)}`)).toBeNull();
		}
		expect(listIn("")).toBeNull();
	});
});

describe("hexBytes", () => {
	test("[ING-12] whole bytes of hex are read, and any other text gives null", () => {
		expect(hexBytes("0x")?.length).toBe(0);
		expect(hexBytes("0xAbCd")).toEqual(Buffer.from([0xab, 0xcd]));
		for (const text of ["", "0", "0x0", "0xzz", "abcd", "0X12", "0x12 ", "0x12\n", "0x1", "0xÿÿ"]) {
			expect(hexBytes(text)).toBeNull();
		}
	});

	test("[ING-12] one invalid digit makes a text of any length unreadable, at any position", () => {
		const digit = fc.constantFrom(..."0123456789abcdefABCDEF");
		const other = fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 });
		const cases = fc.tuple(fc.array(digit, { maxLength: 9_000 }), fc.nat(), other);
		fc.assert(
			fc.property(cases, ([digits, at, stranger]) => {
				const text = `0x${digits.join("")}`;
				const isHex = digits.length % 2 === 0;
				const bytes = hexBytes(text);
				expect(bytes?.toString("hex") ?? null).toBe(isHex ? digits.join("").toLowerCase() : null);
				if (digits.length === 0) return;
				const spoilt = digits.toSpliced(at % digits.length, 1, stranger).join("");
				const isStill = /^(?:[0-9a-fA-F]{2})*$/.test(spoilt);
				expect(hexBytes(`0x${spoilt}`) !== null).toBe(isStill);
			}),
		);
	});

	test("[ING-12] megabytes of hex are read without trouble", () => {
		expect(hexBytes(`0x${"ab".repeat(8_000_000)}`)?.length).toBe(8_000_000);
	});
});

describe("readAbiText", () => {
	const encoded = (text: string) => encodeAbiParameters([{ type: "string" }], [text]);
	const word = (value: bigint) => value.toString(16).padStart(64, "0");

	test("any string that a contract encodes is read back as it was", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
				expect(readAbiText(encoded(text))).toBe(text.replace(/^\ufeff/, ""));
			}),
		);
	});

	test("the bytes32 of old contracts is read up to its first zero", () => {
		expect(readAbiText(stringToHex("MKR", { size: 32 }))).toBe("MKR");
		expect(readAbiText(stringToHex("x".repeat(32)))).toBe("x".repeat(32));
		expect(readAbiText(`0x${"00".repeat(32)}`)).toBe("");
	});

	test("offsets and lengths that point outside of the data give null", () => {
		const lies: Hex[] = [
			"0x",
			"0x00",
			`0x${word(32n)}`.concat("00") as Hex,
			`0x${word(2n ** 256n - 1n)}${word(1n)}`,
			`0x${word(32n)}${word(2n ** 255n)}`,
			`0x${word(32n)}${word(33n)}${word(0n)}`,
			`0x${word(64n)}${word(1n)}`,
			`0x${word(2n ** 32n)}${word(0n)}`,
		];
		for (const lie of lies) expect(readAbiText(lie)).toBeNull();
	});

	test("reading any bytes ends with a well-formed text or null", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
				const text = readAbiText(`0x${Buffer.from(bytes).toString("hex")}`);
				expect(text === null || text.isWellFormed()).toBe(true);
			}),
		);
		const broken = encoded("ab").replace("6162", "ff62") as Hex;
		expect(readAbiText(broken)).toBe("\ufffdb");
	});
});

describe("readAbiUint", () => {
	test("exactly one word is read as a number, up to 2^256 - 1", () => {
		expect(readAbiUint(`0x${"f".repeat(64)}`)).toBe(2n ** 256n - 1n);
		expect(readAbiUint(`0x${"0".repeat(62)}1F`)).toBe(31n);
		expect(readAbiUint("0x")).toBeNull();
		expect(readAbiUint("0x12")).toBeNull();
		expect(readAbiUint(`0x${"g".repeat(64)}`)).toBeNull();
		expect(readAbiUint(null)).toBeNull();
		expect(readAbiUint(`0x${"0".repeat(128)}`)).toBeNull();
	});
});

describe("readAddressWord", () => {
	const bytesOf = (text: string) => Buffer.from(text.slice(2), "hex");

	test("[ING-12] only a word with an empty upper part is an address", () => {
		const address = "Ab".repeat(20);
		expect(readAddressWord(bytesOf(`0x${"0".repeat(24)}${address}`), 0)).toBe(
			`0x${address.toLowerCase()}`,
		);
		expect(readAddressWord(bytesOf(`0x${"0".repeat(23)}1${address}`), 0)).toBeNull();
		expect(readAddressWord(bytesOf(`0x1${"0".repeat(23)}${address}`), 0)).toBeNull();
		expect(readAddressWord(bytesOf(`0x${"0".repeat(24)}${address}`), 1)).toBeNull();
	});
});

describe("readSmallUint", () => {
	test("[ING-12] a word is read exactly below 2^48 and refused from there on", () => {
		fc.assert(
			fc.property(
				fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
				fc.nat({ max: 40 }),
				(value, at) => {
					const word = value.toString(16).padStart(64, "0");
					const data = Buffer.from(`${"ff".repeat(at)}${word}`, "hex");
					expect(readSmallUint(data, at)).toBe(value < 2n ** 48n ? Number(value) : null);
					expect(readSmallUint(data, at + 1)).toBeNull();
				},
			),
		);
		for (const value of [2n ** 48n - 1n, 2n ** 48n, 2n ** 255n]) {
			const read = readSmallUint(Buffer.from(value.toString(16).padStart(64, "0"), "hex"), 0);
			expect(read).toBe(value < 2n ** 48n ? Number(value) : null);
		}
		expect(readSmallUint(Buffer.alloc(0), 2 ** 47)).toBeNull();
	});
});

describe("readUint", () => {
	test("[ING-12] every word is read exactly, whatever its size and its place", () => {
		const edge = fc.constantFrom(0n, 48n, 64n, 128n, 255n).map((bits) => 2n ** bits);
		const near = fc.tuple(edge, fc.constantFrom(-1n, 0n, 1n)).map(([value, by]) => value + by);
		const any = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
		fc.assert(
			fc.property(fc.oneof(near, any), fc.nat({ max: 40 }), (value, at) => {
				const word = value.toString(16).padStart(64, "0");
				const bytes = Buffer.from(`${"ff".repeat(at)}${word}ff`, "hex");
				expect(readUint(bytes, at)).toBe(value);
			}),
		);
	});
});
