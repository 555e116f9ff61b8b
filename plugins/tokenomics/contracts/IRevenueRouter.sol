// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Splits revenue over four buckets: 0 holders, 1 league, 2 burn, 3 treasury. Shares are in
/// hundredths of a per cent. Currency 0x0 is the chain's own coin, source 0x0 the default split.
interface IRevenueRouter {
	/// `amount` is what really arrived.
	event RevenueReceived(
		bytes32 indexed source,
		address indexed currency,
		address indexed from,
		uint256 amount
	);
	event SplitSet(
		bytes32 indexed source,
		uint16 holdersBps,
		uint16 leagueBps,
		uint16 burnBps,
		uint16 treasuryBps
	);
	event PayeeSet(uint8 indexed bucket, address payee);
	event Paid(
		uint8 indexed bucket,
		address indexed currency,
		address indexed payee,
		uint256 amount
	);

	function owner() external view returns (address);

	/// The split of a source; the default where it has none of its own.
	function splitOf(bytes32 source) external view returns (uint16[4] memory);

	function payeeOf(uint8 bucket) external view returns (address);

	/// What a bucket has earned and was not paid yet.
	function owed(uint8 bucket, address currency) external view returns (uint256);

	/// What a bucket has ever earned.
	function earned(uint8 bucket, address currency) external view returns (uint256);

	/// Holds for what arrives from now on.
	function setSplit(bytes32 source, uint16[4] calldata bps) external;

	/// What the bucket is owed already goes to the new payee too.
	function setPayee(uint8 bucket, address payee) external;

	function deposit(bytes32 source) external payable;

	receive() external payable;

	function depositToken(bytes32 source, address token, uint256 amount) external;

	/// Pays a bucket's payee all that it is owed. Anybody may call it.
	function release(uint8 bucket, address currency) external returns (uint256 paid);

	function supportsInterface(bytes4 interfaceId) external view returns (bool);
}
