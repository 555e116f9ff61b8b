import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Hex } from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { compileOwned } from "#test/harness/compileFixtures.ts";
import { fixturesOn } from "#test/harness/fixtures.ts";
import { startTestService, type TestService } from "#test/harness/startTestService.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

const ROOT = join(import.meta.dir, "../..");
const ALICE: Hex = "0x000000000000000000000000000000000000a11c";
const BOB: Hex = "0x0000000000000000000000000000000000000b0b";
const walksOn = { NFT_OWNERSHIP_WALKS_MAX: "50" };

let anvil: Anvil;
let chain: Awaited<ReturnType<typeof fixturesOn>>;
beforeAll(async () => {
	anvil = await startAnvil();
	chain = await fixturesOn(anvil, compileOwned());
});
afterAll(() => anvil.stop());

const headOf = async () => Number(await anvil.rpc<Hex>("eth_blockNumber"));

async function detail(service: TestService, contract: Hex) {
	const path = `/v1/nft-market/collections/${contract}?chain=anvil`;
	const { body } = await service.get(path);
	const { market, mint } = body;
	return { owners: market?.ownersCount, supply: market?.totalSupply, minted: mint?.mintedSupply };
}

/** Waits until the page of a contract says so. */
async function says(
	service: TestService,
	contract: Hex,
	expected: Awaited<ReturnType<typeof detail>>,
): Promise<void> {
	let last: unknown = null;
	await until(
		async () => {
			last = await detail(service, contract);
			return Bun.deepEquals(last, expected);
		},
		`${contract} says ${JSON.stringify(expected)}`,
	).catch((error) => {
		throw new Error(`${error}; it says ${JSON.stringify(last)}`);
	});
}

async function ended(service: TestService): Promise<void> {
	await service.stop();
	await service.database.drop();
}

test("[IDX-11] [MRG-03] [MRG-04] owners and supply are the chain's, also for transfers before the index began", async () => {
	const [first = "0x", second = "0x"] = chain.accounts;
	const single = await chain.deploy("Owned721", [first, 20n]);
	const units = await chain.deploy("Owned1155");
	const endless = await chain.deploy("Endless721");
	// Before the service knows of any of it: 20 minted by a range, one of which is passed on.
	await chain.call("Owned721", single, "transferFrom", [first, ALICE, 3n], { from: first });
	await chain.call("Owned1155", units, "mintBatch", [first, [1n, 2n], [10n, 5n]]);
	const service = await startTestService({ chain: anvil, scanFrom: null, env: walksOn });
	try {
		await service.indexed(await headOf());
		await chain.call("Owned721", single, "mint", [BOB, 100n, 2n]);
		await chain.call("Owned1155", units, "mintBatch", [second, [2n], [1n]]);
		await chain.call("Endless721", endless, "claim", [ALICE]);
		await says(service, single, { owners: 3, supply: 22, minted: 22 });
		await says(service, units, { owners: 2, supply: 16, minted: 16 });
		const claimed = 2 ** 255 + 1;
		await says(service, endless, { owners: 1, supply: claimed, minted: claimed });

		// The service is now at the head.
		await chain.call("Owned721", single, "burn", [3n]);
		await chain.call("Owned721", single, "transferFrom", [first, BOB, 4n], { from: first });
		await says(service, single, { owners: 2, supply: 21, minted: 22 });
		const all = [first, second, 1n, 10n, "0x"];
		await chain.call("Owned1155", units, "safeTransferFrom", all, { from: first });
		await chain.call("Owned1155", units, "burn", [first, 2n, 5n]);
		await says(service, units, { owners: 1, supply: 11, minted: 16 });
		await chain.call("Endless721", endless, "give", [ALICE, BOB, 2n ** 200n]);
		await says(service, endless, { owners: 2, supply: claimed, minted: claimed });
	} finally {
		await ended(service);
	}
});

test("[IDX-11] transfers that leave the chain are removed from the owners", async () => {
	const [first = "0x", second = "0x"] = chain.accounts;
	const single = await chain.deploy("Owned721", [first, 0n]);
	await chain.call("Owned721", single, "mint", [first, 1n, 5n]);
	const service = await startTestService({ chain: anvil, env: walksOn });
	try {
		await says(service, single, { owners: 1, supply: 5, minted: 5 });
		await chain.call("Owned721", single, "transferFrom", [first, second, 1n], { from: first });
		await chain.call("Owned721", single, "mint", [ALICE, 6n, 1n]);
		await chain.call("Owned721", single, "burn", [2n]);
		await says(service, single, { owners: 3, supply: 5, minted: 6 });
		await anvil.rpc("anvil_reorg", [3, []]);
		await anvil.rpc("anvil_mine", ["0x1"]);
		await says(service, single, { owners: 1, supply: 5, minted: 5 });
		await chain.call("Owned721", single, "transferFrom", [first, BOB, 1n], { from: first });
		await says(service, single, { owners: 2, supply: 5, minted: 5 });
	} finally {
		await ended(service);
	}
});

test("[IDX-11] a walk that was killed continues where it ended, and counts nothing twice", async () => {
	const [first = "0x"] = chain.accounts;
	const single = await chain.deploy("Owned721", [first, 0n]);
	const BLOCKS = 60n;
	const EACH = 60n;
	for (let block = 0n; block < BLOCKS; block++) {
		const to: Hex = `0x${(0xa000n + block).toString(16).padStart(40, "0")}`;
		await chain.call("Owned721", single, "mint", [to, block * EACH, EACH]);
	}
	const database = await createTestDatabase();
	const walkOf = async () => {
		const [row] = await database.db.query<{ from: number | null; to: number }>(
			`select next_block as "from", end_block as "to" from market_index.ownership
			where address = $1`,
			[Buffer.from(single.slice(2), "hex")],
		);
		return row;
	};
	const killed = Bun.spawn([process.execPath, "api/cli/start.ts"], {
		cwd: ROOT,
		env: {
			PATH: process.env["PATH"] ?? "",
			HOME: process.env["HOME"] ?? "/tmp",
			PORT: "0",
			DATABASE_URL: database.connectionString,
			CHAINS: "anvil",
			CHAIN_RPC_URLS_JSON: JSON.stringify({ anvil: [anvil.url] }),
			NFT_SCAN_FROM_BLOCK: "0",
			RPC_POLL_MS: "50",
			LOG_LEVEL: "silent",
			...walksOn,
		},
		stdout: "ignore",
		stderr: "ignore",
	});
	await until(async () => {
		const walk = await walkOf();
		return walk !== undefined && walk.from !== null;
	}, "the walk has begun");
	killed.kill("SIGKILL");
	await killed.exited;
	const left = await walkOf();
	expect(left?.from).toBeLessThanOrEqual(left?.to ?? 0);
	const service = await startTestService({ chain: anvil, database, env: walksOn });
	try {
		const all = Number(BLOCKS * EACH);
		await says(service, single, { owners: Number(BLOCKS), supply: all, minted: all });
	} finally {
		await ended(service);
	}
});
