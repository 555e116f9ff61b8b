import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { httpFault } from "#core/http/faults.ts";
import { silentLog } from "#core/log.ts";
import type { Caller } from "#core/plugin/Tool.ts";
import { buyTools } from "#plugins/nft-buys/buyTools.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { type Buyer, type BuyLab, openBuyLab } from "#test/harness/openBuyLab.ts";
import { deploySeaport, type SeaportChain } from "#test/harness/seaport.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: the agent buys what its author named, at most once per key and up to their price; a
// buy proposed by a program or a model waits for its owner's confirmation.

const SLUG = "kiln-folk";
const NEAR = {
	kind: "choose",
	question: 'Which "kiln" do you mean?',
	slot: "collection",
	choices: [{ value: SLUG, label: "Kiln Folk" }],
} as const;
const signal = new AbortController().signal;

let database: TestDatabase;
let anvil: Anvil;
let seaport: SeaportChain;
let lab: BuyLab;
let buyer: Buyer;
let listed: Awaited<ReturnType<BuyLab["list"]>>;
beforeAll(async () => {
	[database, anvil] = await Promise.all([createTestDatabase(), startAnvil()]);
	seaport = await deploySeaport(anvil);
});
afterAll(async () => {
	await anvil?.stop();
	await database?.drop();
});
beforeEach(async () => {
	lab = openBuyLab({ db: database.db, anvil, seaport });
	buyer = await lab.buyer();
	listed = await lab.list();
	lab.serve(listed);
});

async function run(name: string, input: object = {}, key: string | null = null) {
	const { wallets, chains } = lab;
	const { contract } = listed.listing;
	if (!contract) throw new Error("it has no contract");
	const market = {
		async resolve(text: string) {
			if (text === "kiln") return NEAR;
			if (text !== SLUG) throw httpFault.notFound({ public: `No collection "${text}".` });
			const found = { id: 1, chain: "anvil", address: contract, slug: text };
			return { kind: "found", found } as const;
		},
	};
	const served = chains.all.filter(({ slug }) => slug === "anvil");
	const { clock, fake } = lab;
	const context = { wallets, log: silentLog, chains, served, ending: signal };
	const tools = buyTools({ ...context, market, provider: fake.provider, clock });
	const tool = tools.find((one) => one.name === name);
	if (!tool) throw new Error("no such tool");
	const profileId = buyer.profile.id;
	const caller: Caller = { channel: "agent", profileId, authority: "author" };
	const token = String(listed.listing.tokenId);
	const asked = tool.input.parse({ collection: SLUG, token, maxPrice: "2", ...input });
	const answer = await tool.run(asked, { caller, idempotencyKey: key, signal });
	if (answer.kind !== "done") throw new Error(answer.question);
	const output = tool.output.parse(answer.output);
	return { output, line: tool.line(output), links: tool.links?.(output) ?? [] };
}

test("a listing is bought once for each key, by its author's command", async () => {
	const first = await run("buy_nft", {}, "message-1");
	expect(first.output).toMatchObject({ status: "submitted", priceLimit: 2, errorCode: null });
	expect(first.line).toContain("is on its way, not confirmed yet");
	expect((await run("buy_nft", {}, "message-1")).output).toEqual(first.output);
	expect(lab.sent).toHaveLength(1);
});

test("a prepared buy sends nothing and has the link for its owner's confirmation", async () => {
	const { output, links } = await run("prepare_buy_nft");
	expect(output).toMatchObject({ status: "confirmation_required", transactionHash: null });
	expect(links).toEqual([{ rel: "confirm", url: output.link.url }]);
	expect(lab.sent).toEqual([]);
});

test("a price below the listing's buys nothing", async () => {
	const { output, line } = await run("buy_nft", { maxPrice: "0.000001" });
	expect(output.status).toBe("rejected");
	expect(line).toContain("was refused");
	expect(lab.sent).toEqual([]);
});

test("the cheapest token is chosen before anything is recorded, and is named in the intent", async () => {
	const other = await lab.list({ ether: 3n * 10n ** 18n });
	const dear = { ...other.listing, tokenId: 77n };
	const { listing } = listed;
	const foreign = { ...listing, tokenId: 5n, totalRaw: 1n };
	const skipped = [
		{ ...foreign, isPrivate: true },
		{ ...foreign, contract: `0x${"9".repeat(40)}` as const },
		{ ...foreign, currency: `0x${"8".repeat(40)}` as const },
		{ ...foreign, maker: buyer.wallet.address },
		{ ...foreign, isActive: false },
		{ ...foreign, tokenId: null },
		{ ...foreign, expiresAtMs: 1 },
		{ ...foreign, quantity: 0n },
		// Two units for twice the price and one: the unit is dearer.
		{ ...foreign, tokenId: 6n, quantity: 2n, totalRaw: listing.totalRaw * 2n + 1n },
	];
	const items = [...skipped, dear, listing];
	lab.fake.answers.bestListings = async () => ({ items, cursor: null });
	const first = await run("buy_nft", { token: "cheapest" }, "message-2");
	expect(first.output).toMatchObject({ tokenId: String(listing.tokenId), status: "submitted" });
	expect(first.line).toStartWith(`Buying #${listing.tokenId} of `);
	// Said again with the same key it is the same buy, whatever is cheapest by then.
	lab.fake.answers.bestListings = async () => ({ items: [dear], cursor: null });
	expect((await run("buy_nft", { token: "cheapest" }, "message-2")).output).toEqual(first.output);
	expect(lab.sent).toHaveLength(1);
});

test("without a listing in the chain's coin the cheapest is refused, and a key keeps what it bought", async () => {
	lab.fake.answers.bestListings = async () => ({ items: [listed.listing], cursor: null });
	const bought = await run("buy_nft", { token: "cheapest" }, "message-3");
	lab.fake.answers.bestListings = async () => ({ items: [], cursor: null });
	expect((await run("buy_nft", { token: "cheapest" }, "message-3")).output).toEqual(bought.output);
	const { output, line } = await run("buy_nft", { token: "cheapest" });
	expect(output).toMatchObject({ status: "rejected", tokenId: null });
	expect(line).toStartWith("Buying the cheapest of ");
	expect(line).toContain("was refused (listing_not_found), nothing was sent");
	expect(lab.sent).toHaveLength(1);
});

test("where nobody tells what is for sale, nothing is recorded", async () => {
	lab.fake.answers.bestListings = async () => {
		throw httpFault.notFound();
	};
	await expect(run("prepare_buy_nft", { token: "cheapest" })).rejects.toThrow();
	const page = await lab.execution.list(buyer.profile.id, { limit: 10 });
	expect(page.items).toEqual([]);
});

test("a name that only resembles a collection's is asked back, and buys nothing", async () => {
	for (const name of ["buy_nft", "prepare_buy_nft"]) {
		await expect(run(name, { collection: "kiln" })).rejects.toThrow(NEAR.question);
	}
	const page = await lab.execution.list(buyer.profile.id, { limit: 10 });
	expect([page.items, lab.sent]).toEqual([[], []]);
});

test("an unknown collection, and a price of zero, are refused before anything is stored", async () => {
	await expect(run("buy_nft", { collection: "kiln folk" })).rejects.toMatchObject({
		code: "not_found",
	});
	await expect(run("buy_nft", { maxPrice: "0" })).rejects.toMatchObject({ code: "amount_invalid" });
	const page = await lab.execution.list(buyer.profile.id, { limit: 10 });
	expect(page.items).toEqual([]);
});
