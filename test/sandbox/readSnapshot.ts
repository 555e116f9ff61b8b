import { rmSync } from "node:fs";
import { catalogue } from "./catalogue.ts";
import { type ChainFile, chainFile } from "./chainFile.ts";
import { World } from "./World.ts";

export type Snapshot =
	| Exclude<ChainFile, { kind: "found" }>
	| (Extract<ChainFile, { kind: "found" }> & { world: World });

/** Reads the saved chain of the market, with its traffic's state. */
export function readSnapshot(dataDir: string): Snapshot {
	const found = chainFile.read({ dataDir, name: "chain" });
	if (found.kind !== "found") return found;
	const { success, data: world, error } = World.safeParse(found.world);
	const keys = success ? world.collections.map((collection) => collection.key).join() : "";
	if (success && keys === catalogue.map((plan) => plan.key).join()) return { ...found, world };
	rmSync(found.stateFile, { force: true });
	const reason = error?.message.slice(0, 200) ?? "it is of another edition of this world";
	return { kind: "broken", reason };
}
