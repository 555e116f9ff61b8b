import type { Actor } from "../World.ts";
import type { Scene } from "./Scene.ts";

/** Returns the actor of an index; throws for an unknown one, a mistake of the planner. */
export function actorAt(scene: Scene, index: number): Actor {
	const actor = scene.actors[index];
	if (!actor) throw new Error(`no actor ${index}`);
	return actor;
}
