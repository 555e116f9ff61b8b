import { expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
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

test("each chain's own conduit may get our allowance, and one of other chains may not", () => {
	const second: Hex = "0x61159fefdfada89302ed55f8b9e89e2d67d8258712b3a3f89aa88525877f1d5e";
	const alternate: Hex = "0x86d26897267711ea4b173c8c124a0a73612001da35562f1ee3b26929b6575e89";
	for (const chainId of [2_741, 999, 143, 4_663, 988]) {
		expect(spenderOf(second, chainId)).toBe("0x963f00d3ff000064ffcba824b800c0000000c300");
		expect(spenderOf(alternate, chainId)).toBeNull();
	}
	for (const chainId of [1, 8_453, 137]) expect(spenderOf(second, chainId)).toBeNull();
	expect(spenderOf(alternate, 4_326)).toBe("0x00000000001566479594a2e05532d81afa09bc52");
	expect(spenderOf(conduitKey, 4_326)).toBeNull();
});
