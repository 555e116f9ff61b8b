import { type Hex, hexToBigInt, recoverAddress, size, slice, toHex } from "viem";

/** Order of secp256k1. */
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;
const HIGH_BIT = 1n << 255n;

/**
 * Returns the address whose key made a signature, lower case; null: it is not one of a key's.
 *
 * Taken are 65 bytes (`v` 27 or 28, as some wallets 0 or 1) and the 64 of EIP-2098. Refused is a
 * high `s` (EIP-2): everybody can make it out of a good signature. To know whose it would be if it
 * were not, say `anyForm`.
 */
export async function readSigner(
	hash: Hex,
	signature: Hex,
	{ anyForm = false } = {},
): Promise<Hex | null> {
	const parts = partsOf(signature);
	if (!parts) return null;
	const { r, s, yParity } = parts;
	const highestS = anyForm ? ORDER - 1n : ORDER / 2n;
	if (r === 0n || r >= ORDER || s === 0n || s > highestS) return null;
	const sent = { r: toHex(r, { size: 32 }), s: toHex(s, { size: 32 }), yParity };
	try {
		const address = await recoverAddress({ hash, signature: sent });
		return `0x${address.slice(2).toLowerCase()}`;
	} catch {
		// An `r` that is no point of the curve: nobody signed that.
		return null;
	}
}

type Parts = { r: bigint; s: bigint; yParity: 0 | 1 };

function partsOf(signature: Hex): Parts | null {
	const bytes = size(signature);
	if (bytes !== 64 && bytes !== 65) return null;
	const r = hexToBigInt(slice(signature, 0, 32));
	const second = hexToBigInt(slice(signature, 32, 64));
	if (bytes === 64) return { r, s: second % HIGH_BIT, yParity: second >= HIGH_BIT ? 1 : 0 };
	const v = Number(slice(signature, 64, 65));
	const yParity = v >= 27 ? v - 27 : v;
	return yParity === 0 || yParity === 1 ? { r, s: second, yParity } : null;
}
