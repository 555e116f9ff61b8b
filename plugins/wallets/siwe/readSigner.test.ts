import { expect, test } from "bun:test";
import fc from "fast-check";
import { concat, type Hex, hashMessage, hexToBigInt, slice, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { readSigner } from "#plugins/wallets/siwe/siweRefusal.ts";

const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;
const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const address = account.address.toLowerCase();
const hash = hashMessage("hello");
const signature = await account.signMessage({ message: "hello" });
const r = slice(signature, 0, 32);
const s = slice(signature, 32, 64);
const yParity = Number(slice(signature, 64, 65)) - 27;
const word = (number: bigint) => toHex(number, { size: 32 });
const byte = (number: number) => toHex(number, { size: 1 });

test("[TRD-10] a key's signature is read in each format that wallets use", async () => {
	expect(await readSigner(hash, signature)).toBe(address as Hex);
	expect(await readSigner(hash, concat([r, s, byte(yParity)]))).toBe(address as Hex);
	const compact = hexToBigInt(s) + (yParity === 1 ? 1n << 255n : 0n);
	expect(await readSigner(hash, concat([r, word(compact)]))).toBe(address as Hex);
	expect(await readSigner(hash, signature.toUpperCase().replace("0X", "0x") as Hex)).toBe(
		address as Hex,
	);
});

test("the malleated twin of a signature has no signer", async () => {
	const twin = concat([r, word(ORDER - hexToBigInt(s)), byte(28 - yParity)]);
	expect(await readSigner(hash, twin)).toBeNull();
});

test("[TRD-10] an impossible signature has no signer, and throws nothing", async () => {
	const bad: Hex[] = [
		"0x",
		"0x00",
		r,
		concat([r, s, "0x"]).slice(0, -2) as Hex,
		concat([signature, "0x00"]),
		concat([r, s, byte(2)]),
		concat([r, s, byte(26)]),
		concat([r, s, byte(29)]),
		concat([r, s, byte(35)]),
		concat([word(0n), s, byte(27)]),
		concat([r, word(0n), byte(27)]),
		concat([word(ORDER), s, byte(27)]),
		concat([word(2n ** 256n - 1n), s, byte(27)]),
		concat([word(5n), s, byte(27)]),
		`0x${"ff".repeat(65)}`,
	];
	for (const one of bad) {
		expect({ one, signer: await readSigner(hash, one) }).toEqual({ one, signer: null });
	}
});

test("another text, or one changed bit of the signature, never gives the same signer", async () => {
	expect(await readSigner(hashMessage("hello "), signature)).not.toBe(address as Hex);
	await fc.assert(
		fc.asyncProperty(fc.nat(519), async (bit) => {
			const turned = hexToBigInt(signature) ^ (1n << BigInt(bit));
			expect(await readSigner(hash, toHex(turned, { size: 65 }))).not.toBe(address as Hex);
		}),
		{ numRuns: 60 },
	);
});
