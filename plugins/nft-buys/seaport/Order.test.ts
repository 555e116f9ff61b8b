import { expect, test } from "bun:test";
import { marketplaceOf, NO_CONDUIT, spenderOf } from "#plugins/nft-buys/seaport/Order.ts";
import { addresses, conduitKey } from "#test/sandbox/knownContracts.ts";

test("each chain has one marketplace contract: the canonical address, or its alternative", () => {
	for (const chainId of [1, 8_453, 4_663, 31_337]) {
		expect(marketplaceOf(chainId)).toBe(addresses.seaport.toLowerCase() as `0x${string}`);
	}
	for (const chainId of [4_326, 5_031, 43_419]) {
		expect(marketplaceOf(chainId)).toBe("0x00000000006687982678b03100b9bdc8be440814");
	}
});

test("only the marketplace or the provider's conduit may get our ERC-20 allowance", () => {
	expect(spenderOf(NO_CONDUIT, 1)).toBe(marketplaceOf(1));
	expect(spenderOf(conduitKey, 1)).toBe(addresses.conduit.toLowerCase() as `0x${string}`);
	expect(spenderOf(`0x${"1".repeat(64)}`, 1)).toBeNull();
});
