import { encodeFunctionData, parseEther } from "viem";
import { tokenAbi } from "../tokenAbi.ts";
import { actorAt } from "./actorAt.ts";
import { addTx } from "./addTx.ts";
import type { Scene, Stall } from "./Scene.ts";

const BATCH_MAX = 5;
/** A collection that sells out has done so by this part of history. */
const SOLD_OUT_BY = 0.7;

/** Plans the mints of one collection in one block; `share` is the block's part of 15 minutes. */
export function planMints(scene: Scene, stall: Stall, share: number): void {
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
