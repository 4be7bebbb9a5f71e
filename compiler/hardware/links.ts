/** What devices and nodes are joined by: bytes/s in one direction, per device inside a node, per port between nodes. */
export interface Link {
  readonly name: string;
  readonly bandwidth: number;
  readonly source: string;
}

export const links: readonly Link[] = [
  { name: "nvlink2", bandwidth: 150e9, source: "NVIDIA V100 datasheet: 300 GB/s both ways" },
  { name: "nvlink3", bandwidth: 300e9, source: "NVIDIA A100 datasheet: 600 GB/s both ways" },
  { name: "nvlink4", bandwidth: 450e9, source: "NVIDIA H100 datasheet: 900 GB/s both ways" },
  { name: "nvlink5", bandwidth: 900e9, source: "NVIDIA DGX B200 datasheet: 1.8 TB/s both ways" },
  { name: "xgmi3", bandwidth: 448e9, source: "AMD MI300X data sheet: seven links of 128 GB/s both ways" },
  { name: "xgmi4", bandwidth: 537.6e9, source: "AMD MI355X data sheet: seven links of 153.6 GB/s both ways" },
  { name: "pcie3", bandwidth: 16e9, source: "PCI-SIG: 3.0 x16" },
  { name: "pcie4", bandwidth: 32e9, source: "PCI-SIG: 4.0 x16" },
  { name: "pcie5", bandwidth: 64e9, source: "PCI-SIG: 5.0 x16" },
  { name: "ethernet_10g", bandwidth: 1.25e9, source: "IEEE 802.3ae" },
  { name: "ethernet_25g", bandwidth: 3.125e9, source: "IEEE 802.3by" },
  { name: "ethernet_100g", bandwidth: 12.5e9, source: "IEEE 802.3ba" },
  { name: "infiniband_hdr", bandwidth: 25e9, source: "InfiniBand HDR 4x: 200 Gb/s" },
  { name: "infiniband_ndr", bandwidth: 50e9, source: "InfiniBand NDR 4x: 400 Gb/s" },
  { name: "infiniband_xdr", bandwidth: 100e9, source: "InfiniBand XDR 4x: 800 Gb/s" },
  { name: "shared_memory", bandwidth: 5e9, source: "gloo between processes of one machine, order of magnitude" },
];
