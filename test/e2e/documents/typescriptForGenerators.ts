import { plugin } from "bun";

// Generators of clients build syntax trees with TypeScript's own functions, which version 7 does
// not have any more. What they import is the last version that does; our own compiler stays.
plugin({
	name: "typescript for generators",
	setup(build) {
		build.module("typescript", async () => {
			const { default: typescript } = await import("typescript-5");
			return { exports: { default: typescript, ...typescript }, loader: "object" };
		});
	},
});
