import { encodeFunctionData } from "viem";
import type { Share } from "../blockTimes.ts";
import { catalogue } from "../catalogue.ts";
import { planRounds } from "../feeds/planRounds.ts";
import { tokenAbi } from "../tokenAbi.ts";
import { actorAt } from "./actorAt.ts";
import { addTx } from "./addTx.ts";
import { planListing } from "./planListing.ts";
import { planMints } from "./planMints.ts";
import { planSale } from "./planSale.ts";
import { planTransfer } from "./planTransfer.ts";
import type { Scene, Stall } from "./Scene.ts";

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
