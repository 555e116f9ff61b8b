// Plans one block of traffic.

import { encodeFunctionData, parseEther } from "viem";
import { catalogue } from "../catalogue.ts";
import { planRounds } from "../feeds.ts";
import { tokenAbi } from "../knownContracts.ts";
import { planBundle, planGift, planMatch, planPrivate, planSweep } from "./oddSales.ts";
import { planListing, planOffer, planPartial } from "./plainSales.ts";
import {
	actorAt,
	addTx,
	moveGoods,
	pickGoods,
	pickOther,
	type Scene,
	type Stall,
} from "./Scene.ts";

export type Share = { sales: number; mints: number };

const BATCH_MAX = 5;
/** A collection that sells out has done so by this part of history. */
const SOLD_OUT_BY = 0.7;

// Shapes by cumulated probability; one that does not suit a collection is replaced by a plain
// listing.
const shapes: [upTo: number, plan: (scene: Scene, stall: Stall) => Promise<boolean>][] = [
	[0.17, (scene, stall) => planOffer(scene, stall, false)],
	[0.23, (scene, stall) => planOffer(scene, stall, true)],
	[0.28, planBundle],
	[0.32, planSweep],
	[0.36, (scene, stall) => planListing(scene, stall, "coin")],
	[0.39, (scene, stall) => planListing(scene, stall, "forAnother")],
	[0.42, planPrivate],
	[0.45, planMatch],
	[0.47, planGift],
	[0.6, planPartial],
];

/** Two minutes at the usual pace: by then a service has read the hidden tokens. */
const LIVE_BLOCKS_TO_REVEAL = 60;
const BLOCKS_AN_HOUR = 4;

/**
 * Plans one block of traffic.
 *
 * `share` is the block's part of 15 minutes of trade: 1 for most of history, less where blocks are
 * closer.
 */
export async function planBlock(scene: Scene, share: Share): Promise<void> {
	planRounds(scene);
	for (const [index, plan] of catalogue.entries()) {
		const state = scene.world.collections[index];
		if (!state) throw new Error(`no state for ${plan.key}`);
		await planStall(scene, { state, plan }, { share, index });
	}
	if (scene.prng.chance(0.25 * share.sales + 0.05)) planCoinMint(scene);
	scene.world.blocks += 1;
}

/** Plans the mints of one collection in one block; `share` is the block's part of 15 minutes. */
function planMints(scene: Scene, stall: Stall, share: number): void {
	const { plan, state } = stall;
	if (state.launchedAt === null || plan.mint === "reserved") return;
	const age = scene.world.blocks - state.launchedAt;
	const burst = 1 + 8 * Math.exp(-age / 6);
	let txs = scene.prng.count(Math.min(8, plan.mintRate * share * burst));
	if (plan.mint === "soldOut") {
		const left = plan.maxSupply - state.minted;
		const blocksLeft = Math.max(1, scene.world.historyBlocks * SOLD_OUT_BY - scene.world.blocks);
		txs = left === 0 ? 0 : Math.max(txs, Math.ceil(left / blocksLeft / 2));
	}
	for (let n = 0; n < txs; n++) {
		if (plan.standard === "erc721") mintTokens(scene, stall);
		else mintUnits(scene, stall);
	}
}

/** Plans one sale of a random shape. */
async function planSale(scene: Scene, stall: Stall): Promise<void> {
	const roll = scene.prng.next();
	const shape = shapes.find(([upTo]) => roll < upTo);
	if (shape && (await shape[1](scene, stall))) return;
	await planListing(scene, stall, "native");
}

/** Plans a plain transfer, without the market. */
function planTransfer(scene: Scene, stall: Stall): void {
	const goods = pickGoods(scene, stall);
	if (!goods) return;
	const taker = pickOther(scene, goods.holder);
	const from = actorAt(scene, goods.holder).address;
	const to = actorAt(scene, taker).address;
	const functionName = "safeTransferFrom";
	const data =
		stall.plan.standard === "erc721"
			? encodeFunctionData({ abi: tokenAbi, functionName, args: [from, to, goods.id] })
			: encodeFunctionData({
					abi: tokenAbi,
					functionName,
					args: [from, to, goods.id, goods.units, "0x"],
				});
	addTx(scene, {
		actor: goods.holder,
		to: stall.state.address,
		data,
		value: 0n,
		label: "transfer",
	});
	moveGoods(scene, stall, { goods, to: taker });
}

async function planStall(
	scene: Scene,
	stall: Stall,
	at: { share: Share; index: number },
): Promise<void> {
	const { world, prng } = scene;
	const { state, plan } = stall;
	launch(scene, stall, at.index);
	if (state.launchedAt === null) return;
	reveal(scene, stall, at.index);
	const pull = (Math.log(plan.startEther) - state.logPrice) * 0.004;
	state.logPrice += (prng.gauss() * 0.03 + pull) * Math.sqrt(at.share.sales);
	planMints(scene, stall, at.share.mints);
	const sales = prng.count(plan.saleRate * at.share.sales);
	for (let n = 0; n < sales; n++) await planSale(scene, stall);
	// In history every hour has at least this sale, so that candle charts have no gap.
	const due = at.share.sales === 1 && world.blocks % BLOCKS_AN_HOUR === at.index % BLOCKS_AN_HOUR;
	if (due && sales === 0) await planListing(scene, stall, "native");
	if (prng.chance(0.08 * at.share.sales)) planTransfer(scene, stall);
}

function launch(scene: Scene, { state, plan }: Stall, index: number): void {
	const { world } = scene;
	if (state.launchedAt !== null || world.blocks < plan.launch * world.historyBlocks) return;
	state.launchedAt = world.blocks;
	if (plan.mint !== "reserved") return;
	for (let holder = 0; state.minted < plan.maxSupply; holder++) {
		const actor = holder % scene.actors.length;
		const quantity = Math.min(6, plan.maxSupply - state.minted);
		const args = [actorAt(scene, actor).address, BigInt(quantity)] as const;
		const data = encodeFunctionData({ abi: tokenAbi, functionName: "reserve", args });
		addTx(scene, { actor: index, to: state.address, data, value: 0n, label: "mint reserved" });
		for (let n = 0; n < quantity; n++) {
			scene.touched.add(`${state.key}/${state.owners.length}`);
			state.owners.push(actor);
		}
		state.minted += quantity;
	}
}

function reveal(scene: Scene, { state, plan }: Stall, index: number): void {
	if (state.revealed || plan.reveal === undefined) return;
	const { blocks, historyBlocks } = scene.world;
	const due =
		plan.reveal === "live" ? historyBlocks + LIVE_BLOCKS_TO_REVEAL : plan.reveal * historyBlocks;
	if (blocks < due) return;
	const data = encodeFunctionData({ abi: tokenAbi, functionName: "reveal" });
	addTx(scene, { actor: index, to: state.address, data, value: 0n, label: "reveal" });
	state.revealed = true;
}

function planCoinMint(scene: Scene): void {
	const actor = scene.prng.int(scene.actors.length);
	const args = [
		actorAt(scene, actor).address,
		BigInt(1 + scene.prng.int(5_000)) * 10n ** 6n,
	] as const;
	const data = encodeFunctionData({ abi: tokenAbi, functionName: "mint", args });
	addTx(scene, { actor, to: scene.world.coin, data, value: 0n, label: "coin mint" });
}

function mintTokens(scene: Scene, { plan, state }: Stall): void {
	const left = plan.maxSupply - state.minted;
	const wish = scene.prng.chance(0.55) ? 1 : 2 + scene.prng.int(BATCH_MAX - 1);
	const quantity = Math.min(left, wish);
	if (quantity === 0) return;
	const minter = scene.prng.int(scene.actors.length);
	const args = [actorAt(scene, minter).address, BigInt(quantity)] as const;
	addTx(scene, {
		actor: minter,
		to: state.address,
		data: encodeFunctionData({ abi: tokenAbi, functionName: "mint", args }),
		value: parseEther(plan.mintEther) * BigInt(quantity),
		label: quantity === 1 ? "mint" : "mint batch",
	});
	for (let n = 0; n < quantity; n++) {
		scene.touched.add(`${state.key}/${state.owners.length}`);
		state.owners.push(minter);
	}
	state.minted += quantity;
}

function mintUnits(scene: Scene, { plan, state }: Stall): void {
	const minter = scene.prng.int(scene.actors.length);
	const to = actorAt(scene, minter).address;
	const first = scene.prng.int(plan.maxSupply);
	const several = scene.prng.chance(0.25);
	const indexes = several ? [first, (first + 1) % plan.maxSupply] : [first];
	const amounts = indexes.map(() => 1 + scene.prng.int(8));
	const units = amounts.reduce((sum, amount) => sum + amount, 0);
	const ids = indexes.map((index) => BigInt(index + 1));
	const data = several
		? encodeFunctionData({
				abi: tokenAbi,
				functionName: "mintBatch",
				args: [to, ids, amounts.map(BigInt)],
			})
		: encodeFunctionData({
				abi: tokenAbi,
				functionName: "mint",
				args: [to, BigInt(first + 1), BigInt(units)],
			});
	const value = parseEther(plan.mintEther) * BigInt(units);
	const label = several ? "mint batch" : "mint";
	addTx(scene, { actor: minter, to: state.address, data, value, label });
	for (const [n, index] of indexes.entries()) {
		const row = state.units[index];
		if (row) row[minter] = (row[minter] ?? 0) + (amounts[n] ?? 0);
		scene.touched.add(`${state.key}/${index}/${minter}`);
	}
	state.minted += units;
}
