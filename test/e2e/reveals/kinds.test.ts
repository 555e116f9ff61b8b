import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hex } from "viem";
import type { TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import { type Folders, HIDDEN_KINDS, type HiddenKind, hide, open } from "./hiddenKinds.ts";
import { dueNow, openRevealLab, type RevealLab, shownAs } from "./openRevealLab.ts";

// Guarantee: whatever a collection shows before its reveal, the reveal is noticed; and nothing that
// looks like one is taken for it.

const COUNT = 20;
const HOLDER: Hex = "0x00000000000000000000000000000000000b0b02";

let made: RevealLab;
let service: TestService;
const folders: Folders = new Map();
const contracts = new Map<HiddenKind, { contract: Hex; id: number }>();

const looked = async () => {
	const rows = await service.core.db.query<{ id: number; count: number }>(
		"select collection_id as id, jsonb_array_length(latest) as count from reveal_snipe.seen",
	);
	return new Map(rows.map(({ id, count }) => [id, count]));
};

async function idOf(contract: Hex): Promise<number | undefined> {
	const [row] = await service.core.db.query<{ id: number }>(
		`select c.id from market_index.collection as c where c.address = decode($1, 'hex')
			and (select count(*) from market_index.token as t where t.collection_id = c.id
				and (t.source is not null or t.failures > 0)) = $2`,
		[contract.slice(2), COUNT],
	);
	return row?.id;
}

beforeAll(async () => {
	made = await openRevealLab();
	made.lab.served = (path) => {
		const [, folder = "", id = ""] = path.split("/");
		return folders.get(folder)?.(Number(id)) ?? null;
	};
	folders.set("rd1", shownAs);
	service = await made.start();
	for (const kind of HIDDEN_KINDS) {
		const contract = await hide(made, folders, { kind, holder: HOLDER, count: COUNT });
		contracts.set(kind, { contract, id: -1 });
	}
	await service.indexed(Number(await made.anvil.rpc<Hex>("eth_blockNumber")));
	for (const [kind, { contract }] of contracts) {
		await dueNow(service, async () => (await idOf(contract)) !== undefined);
		const id = (await idOf(contract)) ?? -1;
		contracts.set(kind, { contract, id });
		await made.watch(service, id);
	}
	await until(async () => (await looked()).size === HIDDEN_KINDS.length, "all were looked at");
});
afterAll(() => made?.close());

const head = async () => Number(await made.anvil.rpc<Hex>("eth_blockNumber"));

const detections = (id: number) =>
	service.core.db.query<{ outcome: string | null; block: number }>(
		`select outcome, block_number as block from reveal_snipe.detection
		where collection_id = $1 order by id`,
		[id],
	);

async function latest(id: number): Promise<string | undefined> {
	const [row] = await service.core.db.query<{ latest: string }>(
		"select latest::text from reveal_snipe.seen where collection_id = $1",
		[id],
	);
	return row?.latest;
}

for (const kind of HIDDEN_KINDS.filter(({ isReveal }) => isReveal)) {
	test(`a reveal is noticed and ranked in a collection that was hidden as: ${kind.name}`, async () => {
		const { contract, id } = contracts.get(kind) ?? { contract: "0x", id: -1 };
		expect(await detections(id)).toEqual([]);
		const before = await head();
		await open(made, folders, { kind, contract, count: COUNT });
		const block = await head();
		await until(
			async () => {
				// A reroll has to stay so in a later block.
				if (kind.name === "rerolled") await made.anvil.rpc("anvil_mine", ["0x1"]);
				return (await detections(id)).length > 0;
			},
			() => `${kind.name} is noticed`,
		);
		const [first] = await detections(id);
		// A look that was under way as the step came names the block that made it look.
		if (kind.name !== "rerolled") expect(first?.block).toBeWithin(before, block + 1);
		await until(
			async () => (await detections(id))[0]?.outcome === "revealed",
			() => `${kind.name} is revealed`,
		);
		const asset = await service.get(`/v1/nft-market/assets/anvil/${contract}/10`);
		expect(asset.body.rank).toBeGreaterThan(0);
		// Of documents that differ each in one trait none is rarer than another.
		if (kind.padding === undefined) expect(asset.body.rank).toBeWithin(1, 3);
	});
}

for (const kind of HIDDEN_KINDS.filter(({ isReveal }) => !isReveal)) {
	test(`a change of this kind does not count as a reveal: ${kind.name}`, async () => {
		const { contract, id } = contracts.get(kind) ?? { contract: "0x", id: -1 };
		let seen = await latest(id);
		await open(made, folders, { kind, contract, count: COUNT });
		for (let turn = 0; turn < 4; turn++) {
			await made.anvil.rpc("anvil_mine", ["0x1"]);
			made.advance(20_000);
			const before = made.lab.asked.length;
			// What is drawn by the contract is asked of no server.
			if (!kind.base.includes(":")) {
				await until(() => made.lab.asked.length > before, "it is looked at again");
			} else await until(async () => (await latest(id)) !== seen, "another picture is seen");
			seen = await latest(id);
		}
		expect(await detections(id)).toEqual([]);
	});
}
