import { expect, test } from "bun:test";
import { bloomHas } from "#core/chain/bloom/bloomHas.ts";
import { parseHead } from "#core/chain/heads/parseHead.ts";
import { bloomOf } from "#plugins/chain-scanner/range/bloomOf.ts";
import { parseLogs } from "#plugins/chain-scanner/range/parseLogs.ts";
import { startAnvil } from "#test/harness/anvil.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";

test("[ING-14] the bloom of a real block is that of the logs in its receipts", async () => {
	const anvil = await startAnvil();
	try {
		const chain = await fixturesOn(anvil);
		const plain = await chain.deploy("Plain721", ["Plain", 0n]);
		const buyer = "0x00000000000000000000000000000000000b0b01";
		await chain.call("Plain721", plain, "mint", [buyer, 20n]);
		const header = parseHead(await anvil.rpc("eth_getBlockByNumber", ["latest", false]));
		if (!header) throw new Error("no head");
		const receipts = await anvil.rpc<{ logs: unknown[] }[]>("eth_getBlockReceipts", [header.hash]);
		const { number } = header;
		const logs = parseLogs(
			receipts.flatMap((receipt) => receipt.logs),
			{ from: number, to: number },
		);
		expect(logs).toHaveLength(20);
		expect(bloomOf(logs)).toBe(header.logsBloom ?? "0x");
		expect(bloomOf(logs.slice(1))).not.toBe(header.logsBloom ?? "0x");
		expect(bloomHas(bloomOf(logs), plain)).toBe(true);
	} finally {
		await anvil.stop();
	}
});

test("a block without logs has an empty bloom", () => {
	expect(bloomOf([])).toBe(`0x${"0".repeat(512)}`);
});
