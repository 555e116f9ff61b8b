import { expect, test } from "bun:test";
import { createMetrics } from "#core/metrics/createMetrics.ts";
import { streamMetrics } from "#plugins/streams/streamMetrics.ts";

test("streams are counted by name, ends by code, and codes of a client's choice as other", async () => {
	const metrics = createMetrics();
	const figures = streamMetrics(metrics);
	figures.opened("collection");
	figures.opened("collection");
	figures.opened("discover");
	figures.ended("collection");
	figures.published();
	for (const code of [4008, 4029, 1006, 3333, 4999]) figures.closed(code);
	const { body } = await metrics.expose();
	expect(body).toContain('tapeline_ws_connections{stream="collection"} 1');
	expect(body).toContain('tapeline_ws_connections{stream="discover"} 1');
	expect(body).toContain("tapeline_ws_frames_published_total 1");
	expect(body).toContain('tapeline_ws_closed_total{code="4008"} 1');
	expect(body).toContain('tapeline_ws_closed_total{code="other"} 2');
});
