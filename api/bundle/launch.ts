import type { Program } from "#api/bundle/places.ts";
import { programFile } from "#api/bundle/programFile.ts";
import { readEnvironment } from "#core/config/readEnvironment.ts";

/** Runs a program; the module that is imported ends the process by itself. */
export async function launch(program: Program): Promise<void> {
	await import(programFile(program, readEnvironment()));
}
