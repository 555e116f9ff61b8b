import type { SourceFile } from "#test/tidy/SourceFile.ts";

/** Returns which module imports which other, as sorted pairs. Imports of tests do not count. */
export function moduleArrows(files: readonly SourceFile[]): [from: string, to: string][] {
	const arrows = new Map<string, [string, string]>();
	for (const { path, imports } of files) {
		const from = moduleOf(path);
		if (from === undefined || /\.test\.tsx?$|Cases\.ts$|\/testing\//.test(path)) continue;
		for (const { target } of imports) {
			const to = target === undefined ? undefined : moduleOf(target);
			if (to !== undefined && to !== from) arrows.set(`${from} ${to}`, [from, to]);
		}
	}
	return [...arrows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, arrow]) => arrow);
}

/** `core`, `api`, `agent`, or a plugin's name. */
function moduleOf(path: string): string | undefined {
	const [area, name, ...rest] = path.split("/");
	if (area === "plugins") return rest.length > 0 ? name : undefined;
	return area === "core" || area === "api" || area === "agent" ? area : undefined;
}
