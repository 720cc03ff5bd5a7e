// What the page uses of dagre.
export class Graph {
  constructor(options: { multigraph: boolean });
  setGraph(label: object): void;
  setDefaultEdgeLabel(make: () => object): void;
  setNode(name: string, label: object): void;
  setEdge(from: string, to: string, label: object, name: string): void;
  graph(): { width?: number; height?: number };
  node(name: string): { x: number; y: number; width: number; height: number };
  edge(from: string, to: string, name: string): { points: { x: number; y: number }[]; x?: number; y?: number };
}
export function layout(graph: Graph): void;
