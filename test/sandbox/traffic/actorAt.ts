import type { Actor } from "../World.ts";
import type { Scene } from "./Scene.ts";

/** The person behind an index; an index without one is a mistake of the planner. */
export function actorAt(scene: Scene, index: number): Actor {
	const actor = scene.actors[index];
	if (!actor) throw new Error(`no actor ${index}`);
	return actor;
}
