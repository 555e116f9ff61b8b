import { expect, test } from "bun:test";
import { toEventSelector } from "viem";
import { seaportVenue } from "#plugins/chain-scanner/venues/seaport/seaportVenue.ts";

test("[ING-02] the venue asks for both events, from the six canonical addresses only", () => {
	expect(seaportVenue.topics).toEqual([
		toEventSelector(
			"OrderFulfilled(bytes32,address,address,address,(uint8,address,uint256,uint256)[],(uint8,address,uint256,uint256,address)[])",
		),
		toEventSelector("OrdersMatched(bytes32[])"),
	]);
	expect(seaportVenue.contracts).toHaveLength(6);
	for (const address of seaportVenue.contracts) expect(address).toMatch(/^0x0{10,}[0-9a-f]+$/);
	expect(new Set(seaportVenue.contracts.map(({ length }) => length))).toEqual(new Set([42]));
});
