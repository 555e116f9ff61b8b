import { expect, test } from "bun:test";
import { toEventSelector } from "viem";
import { looksRareVenue } from "#plugins/looksrare/plugin.ts";
import { looksRareLogs } from "#plugins/looksrare/testing/looksRareLogs.ts";

test("[ING-13] the venue asks for both events as they are published, from the exchange alone", () => {
	expect<readonly string[]>(looksRareVenue.topics).toEqual(
		looksRareLogs.abi.map((event) => toEventSelector(event)),
	);
	expect(looksRareVenue.contracts).toEqual(["0x0000000000e655fae4d56241588680f86e3b2377"]);
	expect(looksRareVenue.id).toBe("looksrare");
});
