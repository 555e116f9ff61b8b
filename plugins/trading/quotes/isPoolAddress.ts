import { encodeAbiParameters, getCreate2Address, keccak256 } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";

/** Describes a pool as a router names it: its address, and the parts it is derived from. */
export type NamedPool =
	| { type: "v3-pool"; address: string; fee: number }
	| { type: "v4-pool"; address: string; fee: number; tickSpacing: number; hooks: Address };

/** Holds the init code hash of Uniswap V3 pools, which is the same on all chains. */
const V3_CODE_HASH = "0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54";
const v3Parts = [{ type: "address" }, { type: "address" }, { type: "uint24" }] as const;
const v4Parts = [...v3Parts, { type: "int24" }, { type: "address" }] as const;

/**
 * Returns true if this is the address of the pool with these tokens and this fee: for V3 the place
 * where the factory puts it, for V4 the hash of its key. So none of the parts can be changed alone.
 */
export function isPoolAddress(
	pool: NamedPool,
	{ tokens, factory }: { tokens: readonly [Address, Address]; factory: Address },
): boolean {
	const [one, other] = tokens;
	const [low, high] = one < other ? [one, other] : [other, one];
	return pool.address.toLowerCase() === addressOf(pool, { low, high, factory }).toLowerCase();
}

function addressOf(
	pool: NamedPool,
	{ low, high, factory }: { low: Address; high: Address; factory: Address },
): Hex {
	if (pool.type === "v3-pool") {
		const salt = keccak256(encodeAbiParameters(v3Parts, [low, high, pool.fee]));
		return getCreate2Address({ from: factory, salt, bytecodeHash: V3_CODE_HASH });
	}
	const { fee, tickSpacing, hooks } = pool;
	return keccak256(encodeAbiParameters(v4Parts, [low, high, fee, tickSpacing, hooks]));
}
