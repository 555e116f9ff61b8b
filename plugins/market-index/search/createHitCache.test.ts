import { expect, test } from "bun:test";
import { nativeCurrency } from "#plugins/market-index/display/nativeCurrency.ts";
import type { SearchHit } from "#plugins/market-index/schemas/searchHitSchema.ts";
import { createHitCache } from "#plugins/market-index/search/createHitCache.ts";
import { ethereum } from "#plugins/market-index/testing/marketFixture.ts";

const hitOf = (id: number): SearchHit => ({
	slug: `cats-${id}`,
	chain: ethereum.slug,
	contractAddress: null,
	name: null,
	imageUrl: null,
	floorNative: null,
	volume24hNative: null,
	volumeRaw: null,
	volumeCurrency: nativeCurrency,
	sales24h: null,
	ownersCount: null,
	coverage: {},
	source: "svc_index",
});

/** Collections below 100 are there. */
function open() {
	const time = { nowMs: 1_000_000 };
	const asked: number[][] = [];
	const hitsOf = createHitCache({ nowMs: () => time.nowMs }, async (_, ids) => {
		asked.push([...ids]);
		return new Map(ids.filter((id) => id < 100).map((id) => [id, hitOf(id)]));
	});
	const slugs = async (...ids: number[]) => (await hitsOf([ethereum], ids)).map(({ slug }) => slug);
	return { time, asked, slugs };
}

test("hits come in the order asked for, and each is read once a second", async () => {
	const { slugs, asked, time } = open();
	expect(await slugs(2, 1)).toEqual(["cats-2", "cats-1"]);
	expect(await slugs(1, 3, 2)).toEqual(["cats-1", "cats-3", "cats-2"]);
	expect(await slugs(1, 2, 3)).toHaveLength(3);
	expect(asked).toEqual([[2, 1], [3]]);
	time.nowMs += 1_000;
	await slugs(1);
	expect(asked.at(-1)).toEqual([1]);
	time.nowMs -= 60_000;
	await slugs(1);
	expect(asked).toHaveLength(4);
});

test("a collection that is gone is left out, and none is asked for nothing", async () => {
	const { slugs, asked } = open();
	expect(await slugs(100, 1)).toEqual(["cats-1"]);
	expect(await slugs()).toEqual([]);
	expect(asked).toHaveLength(1);
});
