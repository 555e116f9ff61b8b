import type { World } from "#test/sim/createWorld.ts";
import type { SimProcess } from "#test/sim/process/startSimProcess.ts";
import type { Step } from "#test/sim/schedule/drawSchedule.ts";

/** What is under way in one seed: who runs, and what ends when. */
export type Play = {
	world: World;
	/** By seat: a seat is empty while its process is dead or stopped. */
	seats: (SimProcess | null)[];
	/** What to do after so many more steps. */
	due: { steps: number; act: () => void }[];
	/** Those that were asked to stop. Not waited for: one may wait for another that stalls. */
	leaving: Promise<void>[];
};

/** Lets one thing happen, and what was due to end. */
export async function playStep(play: Play, step: Step): Promise<void> {
	const { world } = play;
	for (const one of play.due) one.steps--;
	const ready = play.due.filter(({ steps }) => steps <= 0);
	play.due = play.due.filter((one) => !ready.includes(one));
	for (const { act } of ready) act();
	const happened = act(play, step);
	if (happened) world.tally.add(`step_${step.kind}`);
	await world.pause(step.pause);
}

function act(play: Play, step: Step): boolean {
	const { chain } = play.world;
	switch (step.kind) {
		case "mine":
			for (let made = 0; made < step.blocks; made++) chain.mine();
			return true;
		case "reorg":
			chain.reorg(step);
			if (step.depth >= 10) play.world.tally.add("deep_reorg");
			return true;
		case "flip":
			return chain.flip();
		case "rollback":
			chain.rollback(step.depth);
			return true;
		case "leap":
			return leap(play, step.blocks);
		case "kill":
		case "stop":
		case "stall":
			return disturb(play, step);
		default:
			return trouble(play, step);
	}
}

/** Everybody dies, the chain goes far ahead, everybody comes back. */
function leap(play: Play, blocks: number): boolean {
	const { chain, start } = play.world;
	for (const process of play.seats) process?.kill();
	for (let made = 0; made < blocks; made++) chain.mine({ empty: made % 60 !== 0 });
	play.seats = play.seats.map(() => start());
	return true;
}

function disturb(play: Play, step: Extract<Step, { kind: "kill" | "stop" | "stall" }>): boolean {
	const { due, world } = play;
	const process = play.seats[step.process];
	if (!process) return false;
	if (step.kind === "stall") {
		process.stall();
		due.push({ steps: step.steps + 2, act: process.wake });
		return true;
	}
	play.seats[step.process] = null;
	const act = () => {
		play.seats[step.process] ??= world.start();
	};
	if (step.kind === "kill") process.kill();
	else play.leaving.push(process.stop());
	due.push({ steps: step.steps, act });
	return true;
}

function trouble(
	play: Play,
	step: Extract<Step, { kind: "down" | "swap" | "lag" | "stale" | "refuse" }>,
): boolean {
	const { chain, nodes } = play.world;
	const node = nodes[step.node];
	if (!node) return false;
	const { state } = node;
	const until = (act: () => void) => play.due.push({ steps: step.steps, act });
	switch (step.kind) {
		case "down":
			state.down = true;
			until(() => {
				state.down = false;
			});
			return true;
		case "swap":
			node.swap(true);
			until(() => node.swap(false));
			return true;
		case "lag":
			state.lagBlocks = step.blocks;
			until(() => {
				state.lagBlocks = 0;
			});
			return true;
		case "stale": {
			const { blocks, homes } = chain.branch();
			state.stale = { blocks: [...blocks], homes: new Map(homes) };
			until(() => {
				state.stale = null;
			});
			return true;
		}
		case "refuse": {
			const block = Math.max(1, chain.head() + 1 - step.below);
			// All nodes: the block is too much for any of them, for a while.
			for (const one of nodes) one.state.refused.add(block);
			until(() => {
				for (const one of nodes) one.state.refused.delete(block);
			});
			return true;
		}
	}
}
