import { expect, test } from "bun:test";
import { padHex } from "viem";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { Sale, Venue } from "#plugins/chain-scanner/contract.ts";
import { readTransaction } from "#plugins/chain-scanner/sale/readTransaction.ts";
import { aSale } from "#plugins/chain-scanner/sale/testing/aSale.ts";
import { seaportLogs } from "#test/harness/seaportLogs.ts";

const market = padHex("0x33", { size: 20 });
const topic = padHex("0x70", { size: 32 });
const log = (logIndex: number, changes: Partial<RawLog> = {}): RawLog => ({
	...seaportLogs.log({ address: market, topics: [topic], data: "0x", logIndex }),
	...changes,
});

const saleAt = (logIndex: number, changes: Partial<Sale> = {}) => aSale({ logIndex, ...changes });

function venueOf(decode: Venue["decode"], id = "bazaar"): Venue {
	return { id, contracts: [market], topics: [topic], decode };
}

test("[ING-13] a venue sees its own logs only: its contracts and its topics", () => {
	const seen: number[][] = [];
	const venue = venueOf((logs) => {
		seen.push(logs.map(({ logIndex }) => Number(logIndex)));
		return { sales: [saleAt(1)], undecoded: [] };
	});
	const foreign = [
		log(2, { address: padHex("0x44", { size: 20 }) }),
		log(3, { topics: [padHex("0x71", { size: 32 })] }),
		log(4, { topics: [] }),
	];
	const { sales, undecoded } = readTransaction([log(1), ...foreign, log(5)], [venue]);
	expect(seen).toEqual([[1, 5]]);
	expect(sales).toEqual([{ sale: saleAt(1), venue }]);
	expect(undecoded).toEqual([]);
});

test("[ING-13] a venue that throws costs its own logs, which are named, and no other venue's", () => {
	const bad = venueOf(() => {
		throw new TypeError("undefined is not a function");
	}, "bad");
	const good = venueOf(() => ({ sales: [saleAt(1)], undecoded: [] }));
	const { sales, undecoded } = readTransaction([log(1)], [bad, good]);
	expect(sales).toHaveLength(1);
	expect(undecoded[0]?.problem).toContain("venue bad failed");
	expect(undecoded[0]?.log.logIndex).toBe("0x1");
});

const flaws: [string, Partial<Sale>][] = [
	["of no log of the venue", { logIndex: 9 }],
	["without units", { quantity: 0n }],
	["of more units than 256 bits hold", { quantity: 2n ** 256n }],
	["at a negative price", { totalRaw: -1n }],
	["at a price that 256 bits do not hold", { totalRaw: 2n ** 256n }],
	["with a price and no currency", { currency: null }],
	["of a contract that is no address", { contract: "0x12" }],
	["by a seller who is no address", { seller: padHex("0x5e", { size: 32 }) }],
	["to a buyer who is no address", { buyer: "0x" }],
	["in a currency that is no address", { currency: "0x12" }],
	["of a token id beyond 256 bits", { tokenId: 2n ** 256n }],
	["without a place", { subIndex: 0.5 }],
];

for (const [what, changes] of flaws) {
	test(`[ING-13] a sale ${what} is reported, not stored: it would stop the lane`, () => {
		const venue = venueOf(() => ({ sales: [saleAt(1, changes), saleAt(2)], undecoded: [] }));
		const { sales, undecoded } = readTransaction([log(1), log(2)], [venue]);
		expect(sales.map(({ sale }) => sale.logIndex)).toEqual([2]);
		expect(undecoded).toHaveLength(1);
		expect(undecoded[0]?.problem).toStartWith("a sale of venue bazaar ");
	});
}

test("[ING-12] one place in a block holds one sale, also where two venues claim it", () => {
	const one = venueOf(() => ({ sales: [saleAt(1), saleAt(1, { subIndex: 1 })], undecoded: [] }));
	const two = venueOf(() => ({ sales: [saleAt(1)], undecoded: [] }), "other");
	const { sales, undecoded } = readTransaction([log(1)], [one, two]);
	expect(sales.map(({ venue, sale }) => [venue.id, sale.subIndex])).toEqual([
		["bazaar", 0],
		["bazaar", 1],
	]);
	expect(undecoded.map(({ problem }) => problem)).toEqual(["a sale of venue other was read twice"]);
});
