import type { ServerWebSocket } from "bun";

type Far = { node: WebSocket | null; waiting: string[] };

/**
 * Starts a proxy before a node's WebSocket that passes each message on half a round trip later, in
 * both directions and in order.
 */
export function startDelayingSocket(nodeUrl: string, delayMs: number) {
	const later = (act: () => void) => setTimeout(act, delayMs / 2);
	const server = Bun.serve<Far, never>({
		hostname: "127.0.0.1",
		port: 0,
		fetch(request, server) {
			const data: Far = { node: null, waiting: [] };
			return server.upgrade(request, { data }) ? undefined : new Response(null, { status: 400 });
		},
		websocket: {
			open: (client) => void open(client),
			message(client, text) {
				later(() => {
					const { node, waiting } = client.data;
					if (node?.readyState === WebSocket.OPEN) node.send(String(text));
					else waiting.push(String(text));
				});
			},
			close: (client) => client.data.node?.close(),
		},
	});
	return {
		url: `ws://127.0.0.1:${server.port}`,
		stop: () => server.stop(true),
	};

	function open(client: ServerWebSocket<Far>) {
		const node = new WebSocket(nodeUrl);
		client.data.node = node;
		node.onopen = () => {
			for (const text of client.data.waiting.splice(0)) node.send(text);
		};
		node.onmessage = ({ data }) => void later(() => client.send(String(data)));
		node.onclose = () => client.close();
	}
}
