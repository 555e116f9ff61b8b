import { plugin } from "bun";

// Client generators build syntax trees with TypeScript's own functions, which version 7 no longer
// has. Their import of it gets the last version that has them; our own compiler stays.
plugin({
	name: "typescript for generators",
	setup(build) {
		build.module("typescript", async () => {
			const { default: typescript } = await import("typescript-5");
			return { exports: { default: typescript, ...typescript }, loader: "object" };
		});
	},
});
