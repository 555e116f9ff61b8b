import { parseAbi } from "viem";

/** Lists all events that the emulator reads. */
export const logAbi = parseAbi([
	"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
	"event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
	"event MetadataUpdate(uint256 id)",
	"event BatchMetadataUpdate(uint256 fromId, uint256 toId)",
	"struct SpentItem { uint8 itemType; address token; uint256 identifier; uint256 amount; }",
	"struct ReceivedItem { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }",
	"event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, SpentItem[] offer, ReceivedItem[] consideration)",
	"event OrderCancelled(bytes32 orderHash, address indexed offerer, address indexed zone)",
	"event CounterIncremented(uint256 newCounter, address indexed offerer)",
]);
