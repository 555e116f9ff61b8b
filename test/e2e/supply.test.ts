import { expect, test } from "bun:test";
import type { Hex } from "viem";
import { startAnvil } from "#test/harness/anvil.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { startTestService } from "#test/harness/startTestService.ts";

test("[IDX-01] the supply equals the chain's, also after further mints", async () => {
	const anvil = await startAnvil();
	const chain = await fixturesOn(anvil);
	const service = await startTestService({ chain: anvil });
	try {
		const buyer: Hex = "0x00000000000000000000000000000000000b0b01";
		const plain = await chain.deploy("Plain721", ["Grower", 0n]);
		const read = async () => {
			await service.indexed(Number(await anvil.rpc<Hex>("eth_blockNumber")));
			return (await service.get(`/v1/nft-market/collections/${plain}?chain=anvil`)).body;
		};
		await chain.call("Plain721", plain, "mint", [buyer, 1n]);
		for (let t = 0; t < 200 && (await read()).market.name === null; t++) await Bun.sleep(25);
		await chain.call("Plain721", plain, "mint", [buyer, 9n]);
		const { market, mint } = await read();
		expect([mint.mintedSupply, market.totalSupply]).toEqual([10, 10]);
	} finally {
		await service.stop();
		await service.database.drop();
		await anvil.stop();
	}
});
