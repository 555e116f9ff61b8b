import { encodeFunctionData } from "viem";
import { catalogue } from "../catalogue.ts";
import { addTx } from "../traffic/addTx.ts";
import type { Scene } from "../traffic/Scene.ts";
import { feedAbi } from "./feedAbi.ts";
import { usdAnswer } from "./usdAnswer.ts";

/** Blocks that are closer share a round: a feed publishes by time, not in each block. */
const ROUND_EVERY_S = 300;

/** Publishes a round of every feed that is due. */
export function planRounds(scene: Scene): void {
	const { world, nowS } = scene;
	for (const feed of world.feeds) {
		if (nowS - feed.roundAtS < ROUND_EVERY_S) continue;
		feed.roundAtS = nowS;
		const data = encodeFunctionData({
			abi: feedAbi,
			functionName: "publish",
			args: [usdAnswer(feed.of, nowS)],
		});
		addTx(scene, { actor: catalogue.length, to: feed.address, data, value: 0n, label: "round" });
	}
}
