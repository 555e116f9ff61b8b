import { expect, test } from "bun:test";
import { createFaultList } from "./faults.ts";

test("a fault affects the paths that it names, a given number of times", () => {
	const faults = createFaultList(null);
	faults.add({ kind: "500", path: "/stats$", times: 2 });
	expect(faults.takeForPath("/api/v2/collections/x")).toBeNull();
	expect(faults.takeForPath("/api/v2/collections/x/stats")?.kind).toBe("500");
	expect(faults.all()).toEqual([{ kind: "500", path: "/stats$", times: 1 }]);
	expect(faults.takeForPath("/api/v2/collections/x/stats")?.kind).toBe("500");
	expect(faults.takeForPath("/api/v2/collections/x/stats")).toBeNull();
});

test("faults of the stream do not affect paths, and faults of paths do not affect the stream", () => {
	const faults = createFaultList(null);
	faults.add({ kind: "duplicate" });
	faults.add({ kind: "429" });
	expect(faults.takeForPath("/x")?.kind).toBe("429");
	expect(faults.takeForStream("reorder")).toBeNull();
	expect(faults.takeForStream("duplicate")?.kind).toBe("duplicate");
	faults.clear();
	expect(faults.takeForStream("duplicate")).toBeNull();
});

test("the same seed gives the same faults", () => {
	const kindsOf = (seed: number) => {
		const faults = createFaultList({ seed, chance: 0.5 });
		return Array.from({ length: 50 }, () => faults.takeForPath("/x")?.kind);
	};
	expect(kindsOf(1)).toEqual(kindsOf(1));
	expect(kindsOf(1)).not.toEqual(kindsOf(2));
	expect(kindsOf(1).filter((kind) => kind === undefined).length).toBeGreaterThan(5);
});
