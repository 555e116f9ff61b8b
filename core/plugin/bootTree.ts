import type { BootStep } from "#core/plugin/createHost.ts";

/** The order plugins came up in, what each stands on, and how long it took. */
export function bootTree(steps: readonly BootStep[]): string {
	const width = Math.max(...steps.map(({ plugin }) => plugin.length));
	return steps
		.map(({ plugin, needs, setupMs, startMs }, index) => {
			const branch = index === steps.length - 1 ? "└─" : "├─";
			const on = needs.length > 0 ? `  on ${needs.join(", ")}` : "";
			return `${branch} ${plugin.padEnd(width)}  ${Math.round(setupMs + startMs)} ms${on}`;
		})
		.join("\n");
}
