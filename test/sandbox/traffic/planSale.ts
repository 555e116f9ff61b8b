import { planBundle } from "./planBundle.ts";
import { planGift } from "./planGift.ts";
import { planListing } from "./planListing.ts";
import { planMatch } from "./planMatch.ts";
import { planOffer } from "./planOffer.ts";
import { planPartial } from "./planPartial.ts";
import { planPrivate } from "./planPrivate.ts";
import { planSweep } from "./planSweep.ts";
import type { Scene, Stall } from "./Scene.ts";

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

/** Plans one sale of a random shape. */
export async function planSale(scene: Scene, stall: Stall): Promise<void> {
	const roll = scene.prng.next();
	const shape = shapes.find(([upTo]) => roll < upTo);
	if (shape && (await shape[1](scene, stall))) return;
	await planListing(scene, stall, "native");
}
