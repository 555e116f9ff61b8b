import { expect, test } from "bun:test";
import { createMetrics } from "#core/metrics/createMetrics.ts";
import { createStreamMetrics } from "#plugins/provider/stream/createStreamMetrics.ts";

test("an operator sees what became of frames, and whether the stream is live", async () => {
	const metrics = createMetrics();
	const stream = createStreamMetrics(metrics);
	stream.count("handled");
	stream.count("handled");
	stream.observe({ isLive: true, joined: 3 });
	stream.waiting(7);
	stream.socketEnded();
	const { body } = await metrics.expose();
	expect(body).toContain('tapeline_provider_stream_frames_total{outcome="handled"} 2');
	expect(body).toContain("tapeline_provider_stream_live 1");
	expect(body).toContain("tapeline_provider_stream_topics 3");
	expect(body).toContain("tapeline_provider_stream_queue_pushes 7");
	expect(body).toContain("tapeline_provider_stream_sockets_ended_total 1");
});
