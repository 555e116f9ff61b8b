// Passes a block to a subscriber in the barest way, in a process of its own: a socket head, the
// block's logs, one frame for each log. No database, hardly any decoding. Prints its URL as one
// JSON line and runs until it is killed. Arguments: RPC URL, head URL.
const [rpcUrl = "", headUrl = ""] = process.argv.slice(2);
const SEAPORT = "0x0000000000000068f116a894984e2db1123eb395";
const TOPIC = "sales";

const server = Bun.serve({
	hostname: "127.0.0.1",
	port: 0,
	fetch(request, server) {
		return server.upgrade(request) ? undefined : new Response("a socket is served here\n");
	},
	websocket: {
		open(socket) {
			socket.subscribe(TOPIC);
			socket.send(JSON.stringify({ type: "hello" }));
		},
		message() {},
	},
});

type RawLog = { transactionHash: string; logIndex: string; data: string };

async function publishBlock(number: string): Promise<void> {
	const filter = { address: SEAPORT, fromBlock: number, toBlock: number };
	const call = { jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [filter] };
	const headers = { "content-type": "application/json" };
	const response = await fetch(rpcUrl, { method: "POST", headers, body: JSON.stringify(call) });
	const { result } = (await response.json()) as { result: RawLog[] };
	for (const { transactionHash, logIndex, data } of result) {
		const sale = { blockNumber: Number(number), transactionHash, logIndex, data };
		server.publish(TOPIC, JSON.stringify({ type: "market_event", data: sale }));
	}
}

const heads = new WebSocket(headUrl);
heads.onopen = () => {
	heads.send(
		JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }),
	);
	process.stdout.write(`${JSON.stringify({ url: `ws://127.0.0.1:${server.port}` })}\n`);
};
heads.onmessage = ({ data }) => {
	const number = JSON.parse(String(data)).params?.result?.number;
	if (typeof number === "string") void publishBlock(number);
};
